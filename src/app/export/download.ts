/** Downloads a file through the browser. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // By then the download has its own reference; without this, the URL would keep the file until the page closes.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
