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
  return withName(page, fileMark, name);
}

/** The page for a run of a journal, which has this name. */
export function withRunName(page: ViewerPage, name: string): ViewerPage {
  return withName(page, fileMark.replace('-file', '-run'), name);
}

function withName(page: ViewerPage, mark: string, name: string): ViewerPage {
  const at = page.head.indexOf(fileMark);
  const end = page.head.indexOf('"', at + fileMark.length);
  return { ...page, head: `${page.head.slice(0, at)}${mark}${attributeText(name)}${page.head.slice(end)}` };
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

/** What the reader of HTML acts on in the element: its own end, and the beginning of another one in a comment, which would hide that end. */
const acting = /<(\/?)(?=script)/gi;
const longestActing = '</script'.length;

/**
 * The bytes of a record for an element of a page, part by part; {@link rest} has the last ones. In JSON the character `<` is only in texts, where
 * `\u003c` means the same as `<`, and `\/` the same as `/`. What does not act stays as it is, so that a page is never twice as large as its record.
 * What acts is listed in "Restrictions for contents of script elements" of the HTML standard.
 */
export class EmbeddedRecord {
  /** The end of a part that the next one may complete. */
  #held = '';

  add(bytes: Uint8Array): Uint8Array {
    // One character for each byte: no other character of UTF-8 holds one of ASCII.
    const text =
      this.#held + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const last = text.lastIndexOf('<');
    const end = last < 0 || last <= text.length - longestActing ? text.length : last;
    this.#held = text.slice(end);
    return inert(text.slice(0, end));
  }

  rest(): Uint8Array {
    return inert(this.#held);
  }
}

function inert(text: string): Uint8Array {
  const replaced = text.replaceAll(acting, (_sign, slash: string) => (slash === '' ? '\\u003c' : '<\\/'));
  return Buffer.from(replaced, 'latin1');
}
