// Packs the built site and its lessons for learning platforms: dist/ → target/daemonset-playground-scorm-LANG.zip, a SCORM 1.2
// package with one item for each lesson. Usage: node scripts/scorm.mjs [en|fr]
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A text in the form of `#lesson=`, as src/permalink packs it. */
export function pack(text) {
  const dictionary = readFileSync(join(root, 'src/permalink/dictionary_d1.txt'));
  return `d1:${deflateRawSync(Buffer.from(text), { level: 9, dictionary }).toString('base64url')}`;
}

const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** A zip of `[name, bytes]`, the same for the same files. */
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, bytes] of files) {
    const packed = deflateRawSync(bytes, { level: 9 });
    const path = Buffer.from(name);
    // Version 2.0, names in UTF-8, deflate, 1 January 1980, checksum and sizes.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), common, path, packed);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, path);
    offset += 30 + path.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

const escape = (text) => text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]);

/** The manifest of the package: an item for each lesson. */
export function manifest(lessons, files, language) {
  const title = language === 'fr' ? 'Leçons du DaemonSet Playground' : 'Lessons of the DaemonSet Playground';
  const item = ({ id, title }) =>
    `      <item identifier="item-${id}" identifierref="lesson-${id}" isvisible="true"><title>${escape(title)}</title></item>`;
  const resource = ({ id }) =>
    `    <resource identifier="lesson-${id}" type="webcontent" adlcp:scormtype="sco" href="lesson-${id}.html"><file href="lesson-${id}.html"/><dependency identifierref="site"/></resource>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="daemonset-playground" version="1.0" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
  <metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
  <organizations default="lessons">
    <organization identifier="lessons">
      <title>${title}</title>
${lessons.map(item).join('\n')}
    </organization>
  </organizations>
  <resources>
${lessons.map(resource).join('\n')}
    <resource identifier="site" type="webcontent" adlcp:scormtype="asset" href="scorm.js">
${files.map((file) => `      <file href="${escape(file)}"/>`).join('\n')}
    </resource>
  </resources>
</manifest>
`;
}

/** The page of a lesson: the page of the site, which is told the lesson before it starts. */
export function lessonPage(page, source, language) {
  const head = `<meta name="daemonset-playground-lesson" content="${pack(source)}">\n<script src="scorm.js"></script>`;
  return page
    .replace(/<link id="service-worker"[^>]*>/, '')
    .replace(/<html lang="\w+"/, `<html lang="${language}"`)
    .replace('</head>', `${head}\n</head>`);
}

function main(language) {
  const dist = join(root, 'dist');
  const names = readdirSync(dist, { recursive: true })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => statSync(join(dist, name)).isFile() && !/\.map$|^sw\.js$|^index\.html$|^embed\//.test(name))
    .sort();
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  const folder = join(root, 'www/lessons');
  const listed = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'));
  const order = (listed.lessons ?? listed).map((lesson) => lesson.id);
  const lessons = order.map((id) => {
    const source = readFileSync(join(folder, `${id}.md`), 'utf8');
    const entry = (listed.lessons ?? listed).find((lesson) => lesson.id === id);
    return { id, source, title: entry.title?.[language] ?? entry.title?.en ?? id };
  });
  const site = [...names, 'scorm.js'];
  const files = [
    ['imsmanifest.xml', Buffer.from(manifest(lessons, site, language))],
    ...lessons.map(({ id, source }) => [`lesson-${id}.html`, Buffer.from(lessonPage(page, source, language))]),
    ...names.map((name) => [name, readFileSync(join(dist, name))]),
    ['scorm.js', readFileSync(join(root, 'www/scorm/scorm.js'))],
  ];
  const out = join(root, `target/daemonset-playground-scorm-${language}.zip`);
  const bytes = zip(files);
  writeFileSync(out, bytes);
  console.log(`${relative(root, out)}: ${lessons.length} lessons, ${files.length} files, ${(bytes.length / 1e6).toFixed(1)} MB`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv[2] === 'fr' ? 'fr' : 'en');
