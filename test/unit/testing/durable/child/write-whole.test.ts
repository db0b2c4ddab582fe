import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../../../../src/testing/durable/child/points.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Bytes that were taken, and a pipe that has room for a few at a time, or none. */
function pipeWith(rooms: readonly (number | Error)[]) {
  const left = [...rooms];
  const taken: number[] = [];
  const write = (fd: number, bytes: Uint8Array): number => {
    expect(fd).toBe(1);
    const room = left.shift() ?? bytes.length;
    if (room instanceof Error) throw room;
    const some = bytes.subarray(0, room);
    taken.push(...some);
    return some.length;
  };
  return { write, text: () => new TextDecoder().decode(new Uint8Array(taken)) };
}

describe('a text that is written to a pipe', () => {
  it('gets there whole when the pipe takes a part of it', () => {
    const { write, text } = pipeWith([1, 2, 3]);
    writeWhole(1, 'point å:1\n', write);
    expect(text()).toBe('point å:1\n');
  });

  it('waits while the pipe is full', () => {
    const { write, text } = pipeWith([failure('EAGAIN'), 4, failure('EAGAIN'), failure('EAGAIN')]);
    writeWhole(1, 'point:1\n', write);
    expect(text()).toBe('point:1\n');
  });

  it('is refused when nobody reads any more', () => {
    const { write } = pipeWith([failure('EPIPE')]);
    expect(() => writeWhole(1, 'point:1\n', write)).toThrow('EPIPE');
  });
});
