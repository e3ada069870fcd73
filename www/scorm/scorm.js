// Between the lessons of the playground and a learning platform that speaks SCORM 1.2. A classic script in the head of the
// page of one lesson: it runs before the application starts, and names the lesson to it.
(() => {
  /** The platform's object: in a window around this one, or in the one that opened it. */
  function find(from) {
    for (let at = from, tries = 0; at && tries < 10; tries++) {
      try {
        if (at.API) return at.API;
      } catch {
        return undefined;
      }
      if (at === at.parent) return undefined;
      at = at.parent;
    }
  }
  const api = find(window) ?? (window.opener && find(window.opener));
  const began = Date.now();

  const word = document.querySelector('meta[name="daemonset-playground-lesson"]')?.content;
  if (word) history.replaceState(null, '', `#lesson=${word}`);
  if (!api) return;

  const set = (name, value) => api.LMSSetValue(`cmi.core.${name}`, String(value));
  /** SCORM 1.2 writes durations as HHHH:MM:SS.SS. */
  function time(ms) {
    const pad = (number, digits) => String(number).padStart(digits, '0');
    const seconds = Math.floor(ms / 1000);
    return `${pad(Math.floor(seconds / 3600), 4)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}.${pad(Math.floor((ms % 1000) / 10), 2)}`;
  }
  function report({ score, max }) {
    set('score.min', 0);
    set('score.max', 100);
    set('score.raw', Math.round((100 * score) / Math.max(1, max)));
  }

  api.LMSInitialize('');
  let complete = ['completed', 'passed'].includes(api.LMSGetValue('cmi.core.lesson_status'));
  if (!complete) set('lesson_status', 'incomplete');
  api.LMSCommit('');
  addEventListener('lesson:progress', ({ detail }) => {
    if (!complete) report(detail);
    api.LMSCommit('');
  });
  addEventListener('lesson:complete', ({ detail }) => {
    complete = true;
    report(detail);
    set('lesson_status', 'completed');
    api.LMSCommit('');
  });
  addEventListener(
    'pagehide',
    () => {
      set('session_time', time(Date.now() - began));
      if (!complete) set('exit', 'suspend');
      api.LMSFinish('');
    },
    { once: true },
  );
})();
