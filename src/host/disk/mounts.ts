import { readFileSync } from 'node:fs';

/** The mount points below a folder, as listed by the kernel; empty where the platform has no such list. */
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
