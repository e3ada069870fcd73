// The chosen colours and language, and whether this is a first visit, before anything is drawn otherwise. Not a module:
// those wait until the page is read.
(() => {
  const root = document.documentElement;
  const name = 'daemonset-playground';
  // As the application chooses its own: the first that it has.
  const own = navigator.languages?.find((tag) => /^(en|fr)\b/.test(tag)) ?? '';
  let language = own;
  try {
    const theme = localStorage.getItem(`${name}.theme`);
    if (theme) root.dataset.theme = theme;
    // Every other key holds something that the first view does not show.
    const known = Object.keys(localStorage).filter((key) => key.startsWith(name) && !/\.(theme|language|starting)$/.test(key));
    if (known.length > 0) language = localStorage.getItem(`${name}.language`) ?? own;
    else if (!theme && location.hash.length < 2) root.dataset.visit = 'first';
  } catch {
    // Without storage the system's colours and the page's own language stay.
  }
  if (language.startsWith('fr')) root.lang = 'fr';
})();
