import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** A Markdown file of the project. */
export interface Document {
  /** Relative to the project root. */
  readonly file: string;
  readonly text: string;
}

/** README.md and the guides: what a user reads. */
export function userDocuments(): readonly Document[] {
  return ['README.md', ...markdownBelow('guides')].map(readDocument);
}

/** Every document that the project keeps by hand. */
export function allDocuments(): readonly Document[] {
  return [
    ...userDocuments(),
    ...[
      'AGENTS.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
      'VERSIONING.md',
      ...markdownBelow('docs'),
    ].map(readDocument),
  ];
}

/** Whether a path relative to the project root names a file or folder. */
export function isInProject(path: string): boolean {
  return existsSync(new URL(path, root));
}

/** Reads a file of the project. */
export function readDocument(file: string): Document {
  return { file, text: readFileSync(new URL(file, root), 'utf8') };
}

/** The comments of the sources that hold an example, each source as a document whose other lines are empty, so that lines keep their numbers. */
export function documentedSources(): readonly Document[] {
  return readdirSync(fileURLToPath(new URL('src', root)), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readDocument(`src/${name}`))
    .filter(({ text }) => /^ *\* ```/m.test(text))
    .map(({ file, text }) => ({ file, text: commentsOf(text) }))
    .sort((left, right) => (left.file < right.file ? -1 : 1));
}

function commentsOf(source: string): string {
  return source
    .split('\n')
    .map((line) => /^ *\* ?(.*)$/.exec(line)?.[1] ?? '')
    .map((line) => (line.startsWith('/') ? '' : line))
    .join('\n');
}

function markdownBelow(folder: string): readonly string[] {
  const path = new URL(folder, root);
  if (!existsSync(path)) return [];
  return readdirSync(fileURLToPath(path), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort();
}
