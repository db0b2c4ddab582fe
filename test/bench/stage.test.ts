import { describe, expect, it } from 'vitest';
import { answerText, type CountInput, inputSchema } from '../../bench/systems/count-tool.ts';
import { Stage } from '../../bench/systems/stage.ts';

const never = Number.POSITIVE_INFINITY;

/** A conversation as every system has it. */
async function converse(stage: Stage, { skip = 0, blind = 0 } = {}): Promise<string> {
  let results = 0;
  let failures = 0;
  for (let calls = stage.ask(); calls.length > 0; calls = stage.ask()) {
    for (const { text } of calls) {
      results += 1;
      if (results <= skip) continue;
      const input: CountInput = inputSchema.parse(JSON.parse(text));
      await stage.run(input).catch(() => {
        failures += 1;
      });
    }
  }
  stage.see({ results: results - blind, failures });
  return answerText;
}

describe('Stage', () => {
  it('counts the calls of a run, and begins anew', async () => {
    const stage = new Stage();
    for (const steps of [3, 40]) {
      stage.begin({ kind: 'loop', steps }, never);
      expect(stage.end(await converse(stage))).toBe(steps);
    }
    stage.begin({ kind: 'parallel', calls: 5, sleepMs: 0 }, never);
    expect(stage.end(await converse(stage))).toBe(5);
  });

  it('has every other call fail', async () => {
    const stage = new Stage();
    stage.begin({ kind: 'failing', steps: 5 }, never);
    const ends: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      stage.ask();
      ends.push(
        await stage.run({ id: 'a', count: 1, flag: true }).then(
          () => 'ok',
          () => 'thrown',
        ),
      );
    }
    expect(ends).toEqual(['ok', 'thrown', 'ok', 'thrown', 'ok']);
  });

  it('stops asking when the time is over, and takes the run for what it was', async () => {
    const stage = new Stage();
    stage.begin({ kind: 'loop', steps: 1_000 }, Number.NEGATIVE_INFINITY);
    expect(stage.end(await converse(stage))).toBe(16);
  });

  it.each([
    ['a tool that was not run', { skip: 1 }, 'The tool ran 2 times for 3 calls.'],
    [
      'a result that the model did not see',
      { blind: 1 },
      'The model saw 2 results with 0 failures, not 3 results',
    ],
  ])('refuses %s', async (_what, flaw, message) => {
    const stage = new Stage();
    stage.begin({ kind: 'loop', steps: 3 }, never);
    const text = await converse(stage, flaw);
    expect(() => stage.end(text)).toThrow(message);
  });

  it('refuses another answer and a run that ended early', async () => {
    const stage = new Stage();
    stage.begin({ kind: 'loop', steps: 3 }, never);
    expect(() => stage.end(answerText)).toThrow('The model was asked for 0 calls only.');
    expect(() => stage.end('')).toThrow('The run ended with "".');
  });
});
