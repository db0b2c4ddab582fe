import { describe, expect, it } from 'vitest';
import { defineSlice, promptTemplate, Session, section, ToolCallLog, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const Trail = defineSlice({ name: 'trail', schema: z.string(), policy: 'log', initial: ['first'] });

function boundedSession(): Session {
  const session = new Session();
  session.install(Trail, { retain: 3 });
  return session;
}

const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

describe('a LOG slice that a session bounds', () => {
  it('keeps the last items only, written directly or by a fork', () => {
    const session = boundedSession();
    expect(session.slice(Trail).all()).toEqual(['first']);
    session.slice(Trail).append(...letters);
    expect(session.slice(Trail).all()).toEqual(['f', 'g', 'h']);
    const fork = session.fork();
    for (const letter of letters) fork.view.slice(Trail).append(`fork ${letter}`);
    expect(fork.view.slice(Trail).length).toBe(3);
    session.slice(Trail).append('outside');
    session.apply(fork.patch());
    expect(session.slice(Trail).all()).toEqual(['fork f', 'fork g', 'fork h']);
  });

  it('drops its older items at once when it is bounded late, and again when it is bounded more tightly', () => {
    const session = new Session();
    session.install(Trail);
    session.slice(Trail).append(...letters);
    session.install(Trail, { retain: 2 });
    expect(session.slice(Trail).all()).toEqual(['g', 'h']);
    session.install(Trail);
    session.slice(Trail).append('i');
    expect(session.slice(Trail).all()).toEqual(['h', 'i']);
    session.install(Trail, { retain: 1 });
    expect(session.slice(Trail).all()).toEqual(['i']);
  });

  it('stays bounded in clones, after a reset and after an import', () => {
    const session = boundedSession();
    session.slice(Trail).append(...letters);
    const clone = session.clone();
    clone.slice(Trail).append('i');
    expect(clone.slice(Trail).all()).toEqual(['g', 'h', 'i']);

    session.reset();
    expect(session.slice(Trail).all()).toEqual(['first']);
    session.slice(Trail).append(...letters);
    expect(session.slice(Trail).length).toBe(3);

    const unbounded = new Session();
    unbounded.install(Trail);
    unbounded.slice(Trail).append(...letters);
    session.importState(unbounded.exportState({ includeLogs: true }));
    expect(session.slice(Trail).all()).toEqual(['f', 'g', 'h']);
    session.importState(unbounded.exportState());
    session.slice(Trail).append('i');
    expect(session.slice(Trail).all()).toEqual(['g', 'h', 'i']);
  });

  it('is bounded in its session only', () => {
    boundedSession()
      .slice(Trail)
      .append(...letters);
    const other = new Session();
    other.install(Trail);
    other.slice(Trail).append(...letters);
    expect(other.slice(Trail).length).toBe(9);
  });

  it.each([0, 1.5, Number.NaN])('is refused with retain %s, and not installed', (retain) => {
    const session = new Session();
    expect(() => session.install(Trail, { retain })).toThrow(`Slice trail has retain ${retain}`);
    expect(() => session.slice(Trail)).toThrow('not installed');
  });

  it('is no STATE slice', () => {
    const Notes = defineSlice({ name: 'notes', schema: z.string() });
    expect(() => new Session().install(Notes, { retain: 3 })).toThrow('Slice notes is STATE and has retain');
  });

  it('may be the record of calls: an evaluation keeps to it', async () => {
    const count = tool({
      name: 'count',
      description: 'Counts.',
      effects: 'read',
      execute: () => ToolResult.ok(null),
    });
    const template = promptTemplate({
      ns: 'test',
      key: 'count',
      sections: [section({ title: 'Count', key: 'count', template: 'Count.', tools: [count] })],
    });
    const session = new Session();
    session.install(ToolCallLog, { retain: 4 });
    const lengths: number[] = [];
    const adapter = scriptedAdapter((_conversation, { turn }) => {
      lengths.push(session.slice(ToolCallLog).length);
      return turn > 20 ? { text: 'done' } : { toolCalls: [{ name: 'count' }] };
    });
    await adapter.evaluate(template.bind(), { session });
    expect(Math.max(...lengths)).toBe(4);
    expect(
      session
        .slice(ToolCallLog)
        .all()
        .map(({ turn }) => turn),
    ).toEqual([17, 18, 19, 20]);
  });
});
