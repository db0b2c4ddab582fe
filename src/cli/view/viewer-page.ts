import { readFile } from 'node:fs/promises';

/** The page that the build made, in the parts between which a record goes. */
export interface ViewerPage {
  /** Everything up to the place of the record, and everything after it. */
  readonly head: string;
  readonly tail: string;
  /** What the page may do, as its own `meta` says: run exactly its script and its style, and make no request. */
  readonly policy: string;
}

/** Where the build puts the page, seen from the file that this module becomes a part of. */
const built = new URL('../viewer/page.html', import.meta.url);

const policyPattern = /http-equiv="Content-Security-Policy" content="([^"]*)"/;
const recordMark = 'id="record">';
const fileMark = 'name="wink-file" content="';

/** Reads the page without a record. */
export async function readViewerPage(file: URL = built): Promise<ViewerPage> {
  return viewerPage(await readFile(file, 'utf8'));
}

/** @throws {Error} for a text that is not the page. */
export function viewerPage(text: string): ViewerPage {
  const policy = policyPattern.exec(text)?.[1];
  const place = text.indexOf(recordMark) + recordMark.length;
  if (policy === undefined || place < recordMark.length || !text.includes(fileMark)) {
    throw new Error('The page of the viewer is incomplete: install the package again.');
  }
  return { head: text.slice(0, place), tail: text.slice(place), policy };
}

/** The page for the record in a file with this name, which the page uses in the commands that it prints. */
export function withFileName(page: ViewerPage, name: string): ViewerPage {
  const at = page.head.indexOf(fileMark) + fileMark.length;
  const end = page.head.indexOf('"', at);
  return { ...page, head: `${page.head.slice(0, at)}${attributeText(name)}${page.head.slice(end)}` };
}

/** The page that gets its rows from the server that it is from; nothing else may be requested. */
export function servedPage(page: ViewerPage): ViewerPage {
  const policy = `${page.policy}; connect-src 'self'`;
  return { ...page, policy, head: page.head.replace(page.policy, () => policy) };
}

function attributeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** `<`, and the escape for it that JSON knows. */
const less = 0x3c;
const escaped = Buffer.from('\\u003c');

/**
 * Bytes of a record for an element of a page. In JSON the character `<` is only in texts, where its escape has the same meaning; without it nothing
 * can end the element, or begin a comment in it. Works on any part of a record: `<` is never a part of another character in UTF-8.
 */
export function embedded(bytes: Uint8Array): Uint8Array {
  let from = 0;
  let at = bytes.indexOf(less);
  if (at < 0) return bytes;
  const parts: Uint8Array[] = [];
  for (; at >= 0; at = bytes.indexOf(less, from)) {
    parts.push(bytes.subarray(from, at), escaped);
    from = at + 1;
  }
  parts.push(bytes.subarray(from));
  return Buffer.concat(parts);
}
