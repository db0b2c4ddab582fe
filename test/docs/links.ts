import { posix } from 'node:path';
import type { Document } from './documents.ts';

/** A link of a document to a file or folder of the project. */
export interface Link {
  /** As it is written. */
  readonly target: string;
  /** Where it leads, relative to the project root. */
  readonly path: string;
  /** The heading it names, without `#`. */
  readonly anchor: string | undefined;
}

/** The links of a document, outside of code, that lead to the project itself. */
export function linksOf({ file, text }: Document): readonly Link[] {
  return [...withoutCode(text).matchAll(/\]\((?<target>[^()\s]+)\)/g)]
    .map((match) => match.groups?.['target'] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { target, anchor, path: path === '' ? file : posix.join(posix.dirname(file), path) };
    });
}

/** A text without its fenced blocks. */
export function withoutFences(text: string): string {
  return text.replace(/^( *)(`{3,}|~{3,}).*\n[\s\S]*?^\1\2.*$/gm, '');
}

function withoutCode(text: string): string {
  return withoutFences(text).replace(/`[^`\n]*`/g, '');
}
