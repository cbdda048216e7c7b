// Says so in a browser that is too old. A classic script in old syntax, because such a browser may not read the others.
(function () {
  var old =
    !window.AbortSignal || !AbortSignal.any || (window.isSecureContext && !window.ClipboardItem);
  if (!old) return;
  var note = document.createElement('p');
  note.setAttribute('role', 'alert');
  note.style.cssText =
    'margin:0;padding:12px 16px;font:16px/1.5 sans-serif;background:#fde68a;color:#17181c';
  note.textContent =
    'This browser is too old for Groundswell, and parts of the page may not work. It needs Chrome or Edge 116, Firefox 127, Safari 17.4, or a newer version.';
  document.body.insertBefore(note, document.body.firstChild);
})();
