import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { OutputStream } from '../../../../src/cli/process/environment.ts';
import { type TerminalInput, terminalQuestion } from '../../../../src/cli/process/terminal-question.ts';

const { signal } = new AbortController();

/** An output that acts when the question is shown. */
function shownOn(act: () => void): OutputStream & { readonly written: string[] } {
  const written: string[] = [];
  return {
    written,
    isTerminal: true,
    columns: 80,
    write: (text) => {
      written.push(text);
      if (text === 'Sure? ') act();
    },
  };
}

function question(input: TerminalInput, act: () => void, options = { signal }) {
  const output = shownOn(act);
  return { answer: terminalQuestion(input, output)('Sure? ', options), written: output.written };
}

describe('terminalQuestion', () => {
  it('answers with the line that is typed', async () => {
    const input = new PassThrough();
    expect(await question(input, () => input.write('yes\nno\n')).answer).toBe('yes');
    // Nothing reads on: a process is free to end.
    expect(input.isPaused()).toBe(true);
  });

  it('does not take for an answer what was typed before', async () => {
    const input = new PassThrough();
    input.write('y\n');
    const asked = question(input, () => input.write('n\n'));
    expect(await asked.answer).toBe('n');
  });

  it('can be asked again', async () => {
    const input = new PassThrough();
    for (const line of ['one', 'two', 'three']) {
      expect(await question(input, () => input.write(`${line}\n`)).answer).toBe(line);
    }
  });

  it('answers with nothing when the input ends', async () => {
    const input = new PassThrough();
    const { answer, written } = question(input, () => input.end());
    expect(await answer).toBe('');
    expect(written).toEqual(['Sure? ', '\n']);
  });

  it('rejects when it is interrupted, before and while it waits', async () => {
    const stop = new AbortController();
    const input = new PassThrough();
    const reason = new Error('stopped');
    const { answer, written } = question(input, () => stop.abort(reason), { signal: stop.signal });
    await expect(answer).rejects.toBe(reason);
    expect(written).toEqual(['Sure? ', '\n']);
    const late = question(input, () => undefined, { signal: stop.signal });
    await expect(late.answer).rejects.toBe(reason);
    expect(late.written).toEqual([]);
  });
});
