// The chosen colours and language, before anything is drawn in others. Not a module: those wait until the page is read.
(() => {
  const root = document.documentElement;
  try {
    const theme = localStorage.getItem('daemonset-playground.theme');
    if (theme) root.dataset.theme = theme;
    const language = localStorage.getItem('daemonset-playground.language') ?? navigator.language;
    if (language.startsWith('fr')) root.lang = 'fr';
  } catch {
    // Without storage the system's colours and the page's own language stay.
  }
})();
