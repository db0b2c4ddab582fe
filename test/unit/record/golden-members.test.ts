import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { optionalMembers, presentMembers } from '../../support/row-members.ts';

const folder = new URL('../../fixtures/golden/', import.meta.url);
const files = readdirSync(folder).filter((name) => /(?:record\.jsonl|journal\.txt)$/.test(name));
const golden = files.flatMap((name) =>
  readFileSync(new URL(name, folder), 'utf8')
    .trimEnd()
    .split('\n')
    // A line of a journal begins with the number and the type of its row.
    .map((line): Record<string, unknown> => JSON.parse(line.replace(/^\d+ [a-z]+ /, ''))),
);

/** Optional members that no golden row has, by reason. */
const unseen: Readonly<Record<string, readonly string[]>> = {
  'texts that are not of the code: test/unit/suite/skills': ['sources'],
  'a call is written before feedback is asked for; the row `delivered` has it': ['result.feedback'],
  'it needs an earlier run on the same journal; the tests of `once` have it': ['result.once'],
  'the models of the golden runs name no tier; test/unit/providers/neutral-settings has it': ['serviceTier'],
  'it needs someone who speaks while the run works; the tests of `sayToRun` have it': ['event.by', 'ids'],
  'one model answers in them; the tests of `fallbackAdapter` have it': [
    'answeredBy',
    'models',
    'models.prices',
    'models.provider',
  ],
  'it needs a long conversation; the tests of compactions and of kept results have it': [
    'context',
    'context.compact',
    'context.maxTurns',
    'context.overflow',
    'context.results',
    'insert.loadedTools',
    'insert.sessionId',
    'items.loadedTools',
    'items.sessionId',
    'resultId',
    'results.maxTotalCharacters',
  ],
  'it needs a tool in the shape of its vendor; the tests of provider tools have it': [
    'insert.feedback',
    'insert.value',
    'items.feedback',
    'items.value',
  ],
  'it needs a provider that says what became of its cache; the tests of prompt caches have it': [
    'cache',
    'cache.missed',
    'cache.reason',
    'raw.responseId',
  ],
  'other rows have the same content, call, question or message with it': [
    'after.omitted',
    'staged.records',
    'question.path',
    'question.policyPrompt',
    'question.expiresAtMs',
    'question.staged',
    'items.raw',
    'items.isError',
    'items.attachments',
    'items.reason',
    'items.source',
  ],
};

it('the golden rows have every optional member that a row can have', () => {
  const optional = optionalMembers();
  expect(optional.size).toBeGreaterThan(70);
  const present = new Set(golden.flatMap((row) => [...presentMembers(row)]));
  const missing = [...optional].filter((member) => !present.has(member));
  expect(missing.toSorted()).toEqual(Object.values(unseen).flat().toSorted());
});
