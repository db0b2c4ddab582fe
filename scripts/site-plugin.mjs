// What the site adds to TypeDoc: guides are named by their titles, grouped and ordered as guides/README.md lists them, and
// `@see docs/spec/x.md §1` is a link.
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Converter, ReflectionKind } from 'typedoc';

const root = fileURLToPath(new URL('..', import.meta.url));
const about = 'About';

/** @param {import('typedoc').Application} app */
export function load(app) {
  const groups = groupsOfGuides();

  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const path = relative(root, app.files.getReflectionPath(document) ?? '');
    const title = /^# +(.*)\n/.exec(document.content.map((part) => part.text).join(''))?.[1] ?? document.name;
    const isSpecification = path.startsWith('docs/spec/');
    document.name = isSpecification ? `${title}, specified` : title;
    document.frontmatter['group'] = isSpecification ? 'Specification' : (groups.get(path) ?? about);
    // TypeDoc makes anchors of the text of a heading without its code.
    document.content = headingsAsText(document.content);
  });

  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    const order = [...groups.keys()];
    const placeOf = (/** @type {import('typedoc').Reflection} */ document) => {
      const place = order.indexOf(relative(root, app.files.getReflectionPath(document) ?? ''));
      return place < 0 ? order.length : place;
    };
    for (const listed of [context.project.documents, context.project.childrenIncludingDocuments])
      listed?.sort((a, b) => placeOf(a) - placeOf(b));
    for (const { comment } of context.project.getReflectionsByKind(ReflectionKind.All)) {
      for (const tag of comment?.getTags('@see') ?? []) tag.content = tag.content.flatMap(linked);
    }
  });

  /** @param {import('typedoc').CommentDisplayPart} part @returns {import('typedoc').CommentDisplayPart[]} */
  function linked(part) {
    const found = part.kind === 'text' ? /^(docs\/spec\/[\w-]+\.md)(?: §(\d+))?/.exec(part.text) : null;
    if (found === null) return [part];
    const [text, path = '', section] = found;
    const { target } = app.files.registerAbsolute(
      /** @type {import('typedoc').NormalizedPath} */ (join(root, path)),
    );
    return [
      { kind: 'text', text: `[${text}](` },
      {
        kind: 'relative-link',
        text: path,
        target,
        targetAnchor: section === undefined ? undefined : anchorOf(path, section),
      },
      { kind: 'text', text: `)${part.text.slice(text.length)}` },
    ];
  }
}

/** @param {import('typedoc').CommentDisplayPart[]} parts @returns {import('typedoc').CommentDisplayPart[]} */
function headingsAsText(parts) {
  let line = '';
  return parts.map((part) => {
    const isInHeading = /^#{1,6} [^\n]*$/.test(line);
    line = `${line}${part.text}`.slice(`${line}${part.text}`.lastIndexOf('\n') + 1);
    if (part.kind !== 'code' || !isInHeading) return part;
    return { kind: 'text', text: part.text.replaceAll('`', '').replaceAll('<', '&lt;') };
  });
}

/** The anchor of a numbered heading. @param {string} path @param {string} section @returns {string | undefined} */
function anchorOf(path, section) {
  const heading = new RegExp(`^## +(${section}\\. .*)$`, 'm').exec(
    readFileSync(join(root, path), 'utf8'),
  )?.[1];
  return heading
    ?.toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** @returns {ReadonlyMap<string, string>} The heading that a guide is listed under, by its path. */
function groupsOfGuides() {
  const index = 'guides/README.md';
  /** @type {Map<string, string>} */
  const groups = new Map();
  for (const part of readFileSync(join(root, index), 'utf8').split(/^## +/m).slice(1)) {
    const group = part.slice(0, part.indexOf('\n'));
    for (const [, path = ''] of part.matchAll(/\]\(([\w./-]+\.md)\)/g)) {
      groups.set(relative(root, resolve(root, dirname(index), path)), group);
    }
  }
  return groups;
}
