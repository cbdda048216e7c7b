/** More than counts need: five bytes for a count, as many for a run of zeros after it. */
const MOST_BYTES = 10;

function put(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  let end = at;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[end++] = (rest % 0x80) + 0x80;
  bytes[end++] = rest;
  return end;
}

/** Packs counts for another node: seven bits a byte (LEB128), and a run of zeros as a zero and its length. */
export function packCounts(counts: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(counts.length * MOST_BYTES);
  let end = 0;
  for (let i = 0; i < counts.length;) {
    const count = counts[i]!;
    end = put(bytes, end, count);
    const from = i++;
    if (count !== 0) continue;
    while (i < counts.length && counts[i] === 0) i++;
    end = put(bytes, end, i - from);
  }
  return bytes.slice(0, end);
}

/**
 * Adds packed counts to others.
 *
 * @throws {RangeError} if their number is not that of `sums`.
 */
export function addPacked(sums: Uint32Array, packed: Uint8Array): void {
  let at = 0;
  let bucket = 0;
  const take = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = packed[at++];
      if (byte === undefined) throw new RangeError('expected another byte of counts, got none');
      if (byte < 0x80) return value + byte * scale;
      value += (byte - 0x80) * scale;
    }
  };
  while (at < packed.length) {
    const count = take();
    if (count === 0) bucket += take();
    else if (bucket < sums.length) sums[bucket++]! += count;
    else bucket++;
  }
  if (bucket !== sums.length) throw new RangeError(`expected ${sums.length} counts, got ${bucket}`);
}
