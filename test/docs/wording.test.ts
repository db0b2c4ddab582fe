import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What is read by people and holds none of the turns below. To add a folder, add its path. */
const clean = [
  'AGENTS.md',
  'README.md',
  'VERSIONING.md',
  'docs/glossary.md',
  'docs/spec',
  'examples',
  'guides',
  'src',
];

/** Turns of phrase that make readers stop, with what to write. */
const turns: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b[Tt]old\b/, 'which event, message or result reaches whom: "is passed", "receives", "is reported to"'],
  [/\b[Bb]ehind\b/, '"after"'],
  [/(?<!here )\b(?:is|are|was) no (?!longer\b|more\b|less\b)[a-z]/, '"is not a", "is not an", "are not"'],
  [/\b[Ss]t(?:and|ands|ood|anding)\b/, 'the plain verb: "is", "remains", "is kept", "represents"'],
  [/\b(?:comes?|came|coming) to\b(?! an end\b)/, 'the plain verb: "reaches", "results in", "is"'],
  [
    /\b(?:[Nn]o|[Ss]ome)body\b|\b[Ww]ho(?:so)?ever\b/,
    'the noun: "no caller", "another process", "a policy that"',
  ],
  [/\b(?:[Gg]iven|gives?|gave) up\b/, '"timed out", "abandoned", "stopped"'],
  [/\b[Gg]o(?:es|ing)? on\b|\bwent on\b/, '"continue"'],
  [/(?<!there )\b(?:is|are|was) none\b/, '"is not one", "is not a", "does not count"'],
  [/\bf(?:ell|alls?) silent\b/, '"no activity for N ms"'],
  [/\b[Hh]ear(?:s|d)?\b/, '"receives", "is notified"'],
  [/\blooks? at\b/, '"checks", "reads", "inspects"'],
  [/\b(?:at rest|which see|in words|lets? in)\b/, 'the plain word'],
  [/\b(?:class|interface|type) \w*(?:Desk|Ground|Patience|Breather|Look|Sight)\b/, 'a standard term'],
];

/** Lines that hold one of them with good reason: part of the line, where it is unique enough. */
const allowed: readonly string[] = [
  'tand-in',
  'tandIn',
  "'standing', 'residualEffects'",
  'it is not "given up"',
  'leaves nothing behind',
  '[this](nowhere.md)',
  // Labels of the command, as short as they can be.
  "'Go on'",
  'Go on:',
  'Go on with a run',
  'Go on with the run at once',
];

describe.each(clean)('%s', (path) => {
  it('is worded in plain technical English', () => {
    expect(filesOf(path).flatMap(findTurns)).toEqual([]);
  });
});

describe('findTurns', () => {
  it('names the line, the turn and what to write', () => {
    expect(findTurnsIn('a.md', ['A list.', 'Nobody is told.'])).toEqual([
      expect.stringContaining('a.md:2: "told"'),
      expect.stringContaining('a.md:2: "Nobody"'),
    ]);
  });

  it('lets plain sentences pass', () => {
    expect(findTurnsIn('a.md', ['It is no longer there.', 'The standard library understands it.'])).toEqual(
      [],
    );
  });
});

function findTurns(file: string): readonly string[] {
  return findTurnsIn(file, readFileSync(join(root, file), 'utf8').split('\n'));
}

function findTurnsIn(file: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line, index) => {
    if (allowed.some((part) => line.includes(part))) return [];
    return turns.flatMap(([pattern, instead]) => {
      const found = pattern.exec(line);
      return found === null ? [] : [`${file}:${index + 1}: "${found[0]}"; write ${instead}`];
    });
  });
}

function filesOf(path: string): readonly string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|md)$/.test(name))
    .map((name) => join(path, name))
    .sort();
}
