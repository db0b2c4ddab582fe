import { expect, it } from 'vitest';
import { createManualClock } from 'weakincentives/testing';
import { withoutRepetition } from '../../../../src/cli/process/without-repetition.ts';

it('says a line again after a minute, with how often it came meanwhile', () => {
  const clock = createManualClock();
  const said: string[] = [];
  const say = withoutRepetition((line) => void said.push(line), clock);
  say('away');
  clock.advance(59_999);
  say('away');
  say('other');
  say('away');
  expect(said).toEqual(['away', 'other']);
  clock.advance(1);
  say('away');
  expect(said).toEqual(['away', 'other', 'away (2 more times meanwhile)']);
  clock.advance(60_000);
  say('away');
  expect(said.at(-1)).toBe('away');
});

it('knows 100 lines', () => {
  const said: string[] = [];
  const say = withoutRepetition((line) => void said.push(line), createManualClock());
  for (let at = 0; at <= 100; at += 1) say(`line ${at}`);
  said.length = 0;
  say('line 1');
  say('line 0');
  expect(said).toEqual(['line 0']);
});
