import { describe, expect, it } from 'vitest';
import {
  type AnySection,
  defineSlice,
  Filesystem,
  promptTemplate,
  type SectionPrepareContext,
  Session,
  section,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';
import { gate } from '../../../../support/gate.ts';

const Notes = defineSlice({ name: 'tests.notes', schema: z.object({ text: z.string() }) });

const note = (context: SectionPrepareContext, text: string): void =>
  context.session.slice(Notes).append({ text });

/** A section that notes its path when it is prepared, and shows all notes. */
const noting = (key: string, more: object = {}): AnySection =>
  section({
    title: key,
    key,
    slices: [Notes],
    prepare: (context) => note(context, `${context.path} ${context.number}`),
    render: (_params, { session }) =>
      session
        .slice(Notes)
        .all()
        .map(({ text }) => text)
        .join(', '),
    ...more,
  });

const evaluate = async (sections: readonly AnySection[], session: Session) => {
  const instructions: string[] = [];
  const adapter = scriptedAdapter((_conversation, request) => {
    instructions.push(request.instructions);
    return { text: 'done' };
  });
  await adapter.evaluate(promptTemplate({ ns: 'tests', key: 'prepare', sections }).bind(), { session });
  return instructions;
};

describe('prepare of a section', () => {
  it('runs in reading order when an evaluation starts, for enabled sections, summarized ones included', async () => {
    await using session = new Session();
    const [text] = await evaluate(
      [
        noting('first', { children: [noting('child', { summary: 'short', visibility: 'summary' })] }),
        noting('off', { enabled: () => false, children: [noting('below')] }),
        noting('last'),
      ],
      session,
    );
    const notes = session
      .slice(Notes)
      .all()
      .map((item) => item.text);
    expect(notes).toEqual(['first 1', 'first.child 1.1', 'last 3']);
    // All were prepared before the first text was made.
    expect(text).toContain('## 1. first (first)\n\nfirst 1, first.child 1.1, last 3');
  });

  it('sees what sections before it wrote, and decides what is enabled after it', async () => {
    await using session = new Session();
    await evaluate(
      [
        noting('first'),
        noting('second', { enabled: (_params: unknown, view: Session) => view.slice(Notes).length === 1 }),
      ],
      session,
    );
    expect(session.slice(Notes).length).toBe(2);
  });

  it('runs again in each evaluation', async () => {
    await using session = new Session();
    session.install(Notes);
    await evaluate([noting('first')], session);
    await evaluate([noting('first')], session);
    expect(session.slice(Notes).length).toBe(2);
  });

  it('keeps nothing of one that throws, and ends the evaluation', async () => {
    await using session = new Session();
    const failing = section({
      title: 'Failing',
      key: 'failing',
      slices: [Notes],
      prepare: async (context) => {
        note(context, 'lost');
        throw new Error('no disk');
      },
    });
    await expect(evaluate([noting('first'), failing], session)).rejects.toMatchObject({
      code: 'evaluation-render-failed',
      message: expect.stringContaining('The prepare function of section "failing" threw: no disk'),
    });
    expect(session.slice(Notes).all()).toEqual([{ text: 'first 1' }]);
  });

  it('commits nothing after the evaluation was aborted', async () => {
    await using session = new Session();
    const controller = new AbortController();
    let seen: SectionPrepareContext | undefined;
    const door = gate();
    let ended: Promise<void> | undefined;
    const slow = section({
      title: 'Slow',
      key: 'slow',
      slices: [Notes],
      prepare: (context) => {
        seen = context;
        note(context, 'late');
        controller.abort(new Error('stop'));
        ended = door.pass();
        return ended;
      },
    });
    const template = promptTemplate({ ns: 'tests', key: 'prepare', sections: [slow] });
    const run = scriptedAdapter([{ text: 'done' }]).evaluate(template.bind(), {
      session,
      signal: controller.signal,
    });
    await expect(run).rejects.toThrow();
    expect(seen?.signal.aborted).toBe(true);
    door.open();
    await ended;
    // What the library does once `prepare` has ended.
    await Promise.resolve();
    expect(session.slice(Notes).length).toBe(0);
  });

  it('reads files, which it cannot change, and loses them with its resources when it has ended', async () => {
    await using session = new Session();
    let resources: SectionPrepareContext['resources'] | undefined;
    const reading = section({
      title: 'Reading',
      key: 'reading',
      slices: [Notes],
      prepare: async (context) => {
        resources = context.resources;
        const files = await context.resources.get(Filesystem);
        note(context, (await files.read('a.txt')).text);
        await expect(files.write('b.txt', '')).rejects.toMatchObject({ code: 'filesystem-read-only' });
      },
    });
    await evaluate([reading, vfsToolsSection({ base: { 'a.txt': 'content' } })], session);
    expect(session.slice(Notes).latest()?.text).toBe('content');
    await expect(resources?.get(Filesystem)).rejects.toMatchObject({ name: 'TransactionClosedError' });
  });

  it('is not run by a mere rendering', async () => {
    await using session = new Session();
    session.install(Notes);
    const template = promptTemplate({ ns: 'tests', key: 'prepare', sections: [noting('first')] });
    await template.bind().render({ session });
    expect(session.slice(Notes).length).toBe(0);
  });
});
