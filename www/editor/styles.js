// CodeMirror writes its styles into a <style> element, which a strict content security policy forbids. A style sheet
// that a script constructs is allowed: the same rules go there.
import { StyleModule } from 'style-mod';

/** For each document or shadow root: its sheet, and the modules in it in the order of their precedence. */
const mounted = new WeakMap();

StyleModule.mount = (root, modules) => {
  let known = mounted.get(root);
  if (!known) {
    known = { sheet: new CSSStyleSheet(), modules: [] };
    root.adoptedStyleSheets = [known.sheet, ...root.adoptedStyleSheets];
    mounted.set(root, known);
  }
  const merged = inOrder(known.modules, [modules].flat());
  if (merged.length === known.modules.length && merged.every((module, i) => module === known.modules[i])) return;
  known.modules = merged;
  known.sheet.replaceSync(merged.map((module) => module.getRules()).join('\n'));
};

/** All of both lists once: the wanted in their order, each known one that is not wanted where it stood before. */
function inOrder(known, wanted) {
  const left = known.filter((module) => !wanted.includes(module));
  const merged = [...wanted];
  for (const module of left) {
    const next = known.slice(known.indexOf(module) + 1).find((other) => merged.includes(other));
    merged.splice(next ? merged.indexOf(next) : merged.length, 0, module);
  }
  return merged;
}
