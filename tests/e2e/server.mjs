// A small static server for the tests: dist/ under a sub-path, with the headers of a strict host.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.yaml': 'text/yaml; charset=utf-8',
};

/** Stricter than the policy in the page: whatever a host may demand, the page must still work. */
export const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; " +
  "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; " +
  "form-action 'none'";

/**
 * Serves the directory under the sub-path, on a free port of this machine only.
 * @returns {Promise<{url: string, close: () => Promise<void>}>} `url` ends with a slash
 */
export async function serve({ directory, subPath = '/docs/playground/', port = 0 }) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const headers = {
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    };
    const answer = (status, text) => response.writeHead(status, { ...headers, 'Content-Type': 'text/plain' }).end(text);
    if (!path.startsWith(subPath)) return answer(404, 'not below the sub-path');
    const inside = normalize(path.slice(subPath.length));
    if (inside.startsWith('..') || inside.includes('\0')) return answer(400, 'outside of the site');
    const file = join(directory, inside === '.' || inside.endsWith(sep) ? join(inside, 'index.html') : inside);
    let size;
    try {
      const found = statSync(file);
      if (!found.isFile()) return answer(404, 'not a file');
      size = found.size;
    } catch {
      return answer(404, 'no such file');
    }
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': size });
    if (request.method === 'HEAD') return response.end();
    createReadStream(file).pipe(response);
  });
  await new Promise((ready, failed) => server.once('error', failed).listen(port, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${server.address().port}${subPath}`,
    close: () =>
      new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      }),
  };
}

// By hand: node tests/e2e/server.mjs [port]
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const directory = fileURLToPath(new URL('../../dist', import.meta.url));
  const { url } = await serve({ directory, port: Number(process.argv[2] ?? 0) });
  console.log(url);
}
