// Turns a picture in SVG into one in PNG and saves it.

/**
 * @param {string} svg the picture; it must say its width and height
 * @param {string} name name of the file
 * @returns {Promise<void>} rejected when the browser cannot draw it
 */
export async function savePng(svg, name) {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  const picture = new Image();
  picture.src = address;
  try {
    await picture.decode();
    const canvas = document.createElement('canvas');
    // Twice as fine as it is shown, within what browsers can hold.
    const scale = Math.min(2, 8192 / picture.width, 8192 / picture.height);
    canvas.width = Math.round(picture.width * scale);
    canvas.height = Math.round(picture.height * scale);
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
    const png = await new Promise((done) => canvas.toBlob(done, 'image/png'));
    const link = document.createElement('a');
    link.href = URL.createObjectURL(png);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } finally {
    URL.revokeObjectURL(address);
  }
}
