/** The widths at which a drawer covers the page. */
const PHONE = '(max-width: 720px)';

/** Makes an element that covers the page on a phone modal there: everything outside its container is inert.
 *
 * @returns A function that undoes it.
 */
export function modal(drawn: HTMLElement): () => void {
  const phone = matchMedia(PHONE);
  const place = drawn.parentElement;
  const others = [...(place?.parentElement?.children ?? [])].filter((each) => each !== place);
  const cover = (covers: boolean): void => {
    for (const other of others) other.toggleAttribute('inert', covers);
    drawn.setAttribute('role', covers ? 'dialog' : 'complementary');
    if (covers) drawn.setAttribute('aria-modal', 'true');
    else drawn.removeAttribute('aria-modal');
  };
  const turned = (): void => cover(phone.matches);
  turned();
  phone.addEventListener('change', turned);
  return () => {
    phone.removeEventListener('change', turned);
    cover(false);
  };
}
