/** Notifications of the operating system. */
export interface SystemNotices {
  /** `absent` if the browser has none for this page. */
  readonly permission: () => NotificationPermission | 'absent';
  /** Asks the user, who may refuse. */
  readonly ask: () => Promise<NotificationPermission>;
  readonly show: (title: string, text: string, onclick: () => void) => void;
}

/** The notifications of a browser, which has them only for pages that it regards as secure. */
export function systemNotices(page: Window & typeof globalThis): SystemNotices {
  const isPossible = page.isSecureContext && 'Notification' in page;
  return {
    permission: () => (isPossible ? page.Notification.permission : 'absent'),
    ask: () => page.Notification.requestPermission(),
    show: (title, body, onclick) => {
      const notice = new page.Notification(title, { body });
      notice.addEventListener('click', () => {
        page.focus();
        notice.close();
        onclick();
      });
    },
  };
}
