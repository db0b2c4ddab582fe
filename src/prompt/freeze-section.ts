import type { AnySection, Section } from './section.ts';

/** A section before it is made: what it lacks may also stand there as `undefined`. */
export type SectionDraft = { readonly [Key in SectionKey]?: Section[Key] | undefined };

type SectionKey = Exclude<keyof Section, symbol>;

const sectionKeys = Object.keys({
  title: true,
  key: true,
  params: true,
  template: true,
  render: true,
  tools: true,
  hostedTools: true,
  policies: true,
  children: true,
  enabled: true,
  visibility: true,
  summary: true,
  slices: true,
  resources: true,
  acceptsOverrides: true,
  examplesInText: true,
} satisfies Readonly<Record<SectionKey, true>>) as readonly SectionKey[];

const frozen = new WeakSet<object>();

/**
 * The section as a frozen plain object with lists of its own, so that whoever wrote it can change nothing in what was
 * made of it; a section that was made here is returned as it is.
 */
export function freezeSection(section: SectionDraft): AnySection {
  // Only what was made below is in the set.
  if (frozen.has(section)) return section as AnySection;
  const given = sectionKeys.map((key) => [key, section[key]] as const);
  const made = Object.freeze(
    Object.fromEntries(
      given.flatMap(([key, value]) =>
        value === undefined ? [] : [[key, Array.isArray(value) ? Object.freeze([...value]) : value]],
      ),
    ),
  );
  frozen.add(made);
  // The entries are those of a section; those that nobody gave are left out.
  return made as unknown as AnySection;
}
