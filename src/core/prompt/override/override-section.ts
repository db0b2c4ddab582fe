import { none, once, ownMember, present, quotedList } from '../../internal/index.ts';
import { describeSection, type PromptDescriptor } from '../plan/descriptors.ts';
import type { SectionNode } from '../plan/section-tree.ts';
import { placeholderNames } from '../section/section-params.ts';
import { compileTemplate } from '../template/compile-template.ts';
import { quotedNames, quotedPrefix, type TemplateText } from '../template/template-text.ts';
import { type Drop, ifUsable, isFresh } from './dropped-override.ts';
import type { PromptOverrides, TextOverride } from './prompt-overrides.ts';
import { isEditedText } from './prompt-overrides.ts';

/** A section with the overrides for it that fit; the same node when there are none. */
export function overrideSection(
  node: SectionNode,
  { sections }: PromptDescriptor,
  overrides: PromptOverrides,
  drop: Drop,
): SectionNode {
  const override = ownMember(overrides.sections, node.path);
  const described = sections.find(({ path }) => path === node.path);
  if (override === undefined || described === undefined) return node;
  const body = textOf(node, 'body', override.body, described.body, drop);
  const summary = textOf(node, 'summary', override.summary, described.summary, drop);
  const { visibility } = override;
  const isShown = visibility !== 'summary' || node.summary !== undefined;
  if (!isShown) {
    drop(
      `section "${node.path}" visibility`,
      'invalid',
      `The section "${node.path}" has no summary, so it cannot be summarised. Take the visibility out.`,
    );
  }
  if (body === undefined && summary === undefined && (visibility === undefined || !isShown)) return node;
  const texts = { template: body ?? node.section.template, summary: summary ?? node.summary };
  return {
    ...node,
    section: {
      ...node.section,
      ...present({
        template: body,
        visibility: visibility === undefined || !isShown ? undefined : visibility,
      }),
    },
    summary: texts.summary,
    descriptor: once(() => describeSection({ ...node, ...texts })),
  };
}

function textOf(
  node: SectionNode,
  name: 'body' | 'summary',
  override: TextOverride | undefined,
  hash: string | undefined,
  drop: Drop,
): TemplateText | undefined {
  if (!isEditedText(override)) return undefined;
  const owner = `section "${node.path}"`;
  if (!isFresh(owner, name, override.hash, hash, drop)) return undefined;
  const target = `${owner} ${name}`;
  const names = placeholderNames(node.params);
  const text = ifUsable(target, drop, () =>
    compileTemplate(override.text, names, `overridden ${name} of ${owner}`, { section: node.path }),
  );
  const bare = text === undefined ? none : namesWithoutQuotes(node, text);
  if (bare.length === 0) return text;
  const written = bare.map((each) => `\${${quotedPrefix}${each}}`).join(', ');
  drop(
    target,
    'invalid',
    `The code of ${owner} quotes ${quotedList(bare)}, this text does not: write ${written}.`,
  );
  return undefined;
}

/** Params that the code of a section always quotes and the text does not: as they are they could pass for parts of the prompt. */
function namesWithoutQuotes({ section, summary }: SectionNode, text: TemplateText): readonly string[] {
  const texts = [section.template, summary].filter((each) => each !== undefined);
  const quoted = new Set(texts.flatMap(quotedNames));
  for (const each of texts) {
    const always = quotedNames(each);
    for (const name of each.placeholders) if (!always.includes(name)) quoted.delete(name);
  }
  const wellQuoted = quotedNames(text);
  return text.placeholders.filter((name) => quoted.has(name) && !wellQuoted.includes(name));
}
