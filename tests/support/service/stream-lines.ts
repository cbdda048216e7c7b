/** The lines of a stream's body, one by one. */
export function linesOf(answer: Response) {
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  let read = '';
  /** The next line; null at the end. */
  const line = async (): Promise<string | null> => {
    for (;;) {
      const end = read.indexOf('\r\n');
      if (end >= 0) {
        const text = read.slice(0, end);
        read = read.slice(end + 2);
        return text;
      }
      const part = await reader.read();
      if (part.done) return null;
      read += decoder.decode(part.value, { stream: true });
    }
  };
  return {
    line,
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    next: async (): Promise<any> => JSON.parse((await line()) ?? 'null'),
    close: () => reader.cancel(),
  };
}
