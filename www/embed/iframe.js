// Talks with the page in the iframe; docs/embedding.md has the protocol.
const frame = document.querySelector('iframe');
const origin = new URL(frame.src).origin;
const say = (message) => frame.contentWindow.postMessage({ source: 'daemonset-playground', version: 1, ...message }, origin);

const heard = new Set();
addEventListener('message', ({ data, origin: from, source }) => {
  if (source !== frame.contentWindow || from !== origin || data?.source !== 'daemonset-playground') return;
  heard.add(data.type);
  document.getElementById('heard').textContent = [...heard].sort().join(' ');
  if (data.type === 'height') frame.style.setProperty('height', `${data.height}px`);
  if (data.type === 'result') document.getElementById('answer').textContent = data.error ?? JSON.stringify(data.value);
});
document.getElementById('run').addEventListener('click', () => {
  say({ type: 'call', id: 1, method: 'runToQuiet' });
  say({ type: 'call', id: 2, method: 'kubectl', args: ['kubectl get ds agent --no-headers -o name'] });
});
