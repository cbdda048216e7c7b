/** Hands a file to the browser's downloads. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The download holds the file from here on; the address alone would keep it for as long as the page lives.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
