import { readFileSync } from 'node:fs';

/** The places below a folder that something is mounted at, as the kernel tells them; none where it does not. */
export function mountsBelow(folder: string): readonly string[] {
  let table: string;
  try {
    table = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return [];
  }
  const below = folder.endsWith('/') ? folder : `${folder}/`;
  return table.split('\n').flatMap((line) => {
    const place = line
      .split(' ')[4]
      ?.replaceAll(/\\([0-7]{3})/g, (_match, code: string) => String.fromCodePoint(Number.parseInt(code, 8)));
    return place?.startsWith(below) === true ? [place.slice(below.length)] : [];
  });
}
