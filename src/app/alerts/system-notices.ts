/** Notifications of the operating system. */
export type SystemNotices = ReturnType<typeof systemNotices>;

/** The notifications of a browser, which has them only for pages that it regards as secure. */
export function systemNotices(page: Window & typeof globalThis) {
  const isPossible = page.isSecureContext && 'Notification' in page;
  return {
    /** `absent` if the browser has none for this page. */
    permission: (): NotificationPermission | 'absent' =>
      isPossible ? page.Notification.permission : 'absent',
    /** Asks the user, who may refuse. */
    ask: () => page.Notification.requestPermission(),
    show: (title: string, body: string, onclick: () => void): void => {
      const notice = new page.Notification(title, { body });
      notice.addEventListener('click', () => {
        page.focus();
        notice.close();
        onclick();
      });
    },
  };
}
