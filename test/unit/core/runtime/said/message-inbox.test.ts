import { describe, expect, it } from 'vitest';
import {
  createMessageInbox,
  defineAgent,
  type MessageInbox,
  PromptValidationError,
  promptTemplate,
  type RunEvent,
  RunRefusedError,
  runAgent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { readRunRecord, replayRun, runRecorder } from 'weakincentives/record';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';

const userTexts = (conversation: readonly unknown[]): readonly string[] =>
  conversation.flatMap((item) => {
    const { type, content } = Object(item);
    return type === 'user' ? [String(content[0].text)] : [];
  });

const templateWith = (during: (callId: string) => void) =>
  promptTemplate({
    ns: 'test',
    key: 'said',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Work.',
        tools: [
          tool({
            name: 'work',
            description: 'Works.',
            effects: 'state',
            execute: (_params, { callId }) => {
              during(callId);
              return ToolResult.ok(null, 'worked');
            },
          }),
        ],
      }),
    ],
  });

/** A model that calls once, and answers with what people have said. */
const painter = (during?: (turn: number) => void) =>
  scriptedAdapter((conversation, { turn }) => {
    during?.(turn);
    return turn === 1 ? { toolCalls: [{ name: 'work' }] } : { text: userTexts(conversation).join(' ') };
  });

const thrown = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('an inbox for messages', () => {
  it('gives a run what is said before it, during a call and during an answer', async () => {
    const inbox = createMessageInbox();
    expect(inbox.say('Before.', { by: 'ann', id: 'm1' })).toEqual({ id: 'm1', waiting: 1 });
    const events: RunEvent[] = [];
    const lines: string[] = [];
    const recorder = runRecorder({ write: (line) => void lines.push(line) });
    const template = templateWith(() => void inbox.say('In a call.', { id: 'm2' }));
    const run = await painter((turn) => {
      if (turn === 2) inbox.say('In an answer.', { id: 'm3' });
    }).evaluate(template.bind(), {
      input: 'Go.',
      inbox,
      observers: [{ onEvent: (event) => void events.push(event) }, recorder],
    });
    expect(run.text).toBe('Go. Before. In a call. In an answer.');
    expect(inbox.waiting).toBe(0);
    expect(events.filter(({ type }) => type === 'input-taken')).toMatchObject([
      { turn: 1, ids: ['m1'], by: 'ann', text: 'Before.' },
      { turn: 2, ids: ['m2'], text: 'In a call.' },
      { turn: 3, ids: ['m3'], text: 'In an answer.' },
    ]);
    await recorder.flush();
    const record = await readRunRecord(lines);
    const report = await replayRun({ record, prompt: templateWith(() => undefined).bind() });
    expect(report.isSame).toBe(true);
    expect(report.turns).toHaveLength(3);
  });

  it('says together what one person has said, and keeps the order', async () => {
    const inbox = createMessageInbox();
    for (const [text, by] of [
      ['1', 'ann'],
      ['2', 'ann'],
      ['3', 'ben'],
      ['4', 'ann'],
    ] as const)
      inbox.say(text, { by, id: text });
    const events: RunEvent[] = [];
    const observers = [{ onEvent: (event: RunEvent) => void events.push(event) }];
    const run = await painter().evaluate(templateWith(() => undefined).bind(), { inbox, observers });
    expect(run.text).toBe('1 2 3 4');
    expect(events.filter(({ type }) => type === 'input-taken')).toMatchObject([
      { ids: ['1', '2'], by: 'ann', text: '1\n2' },
      { ids: ['3'], by: 'ben', text: '3' },
      { ids: ['4'], by: 'ann', text: '4' },
    ]);
  });

  it('takes a message of one name once, also after it was taken', async () => {
    const inbox = createMessageInbox();
    inbox.say('Use blue.', { id: 'm1' });
    expect(inbox.say('Use blue.', { id: 'm1' })).toEqual({ id: 'm1', waiting: 1 });
    const run = await painter(() => void inbox.say('Use blue.', { id: 'm1' })).evaluate(
      templateWith(() => undefined).bind(),
      { inbox },
    );
    expect(run.text).toBe('Use blue.');
    expect(inbox.say('x').id).not.toBe(inbox.say('x').id);
  });

  it('keeps what a run has not taken for the next one', async () => {
    const inbox = createMessageInbox();
    const prompt = templateWith(() => undefined).bind();
    const options = { inbox, limits: { maxTurns: 1 } };
    const adapter = scriptedAdapter(() => {
      inbox.say('Use blue.');
      return { text: 'red' };
    });
    expect((await adapter.evaluate(prompt, options)).text).toBe('red');
    expect(inbox.waiting).toBe(1);
    expect((await painter().evaluate(prompt, { inbox })).text).toBe('Use blue.');
  });

  it('takes images and files as parts of a message', async () => {
    const inbox = createMessageInbox();
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
    inbox.say([{ type: 'text', text: 'Like this:' }, image]);
    const events: RunEvent[] = [];
    const observers = [{ onEvent: (event: RunEvent) => void events.push(event) }];
    const run = await painter().evaluate(templateWith(() => undefined).bind(), { inbox, observers });
    expect(run.conversation[0]).toEqual({
      type: 'user',
      content: [{ type: 'text', text: 'Like this:' }, image],
    });
    expect(events.find(({ type }) => type === 'input-taken')).toMatchObject({ text: 'Like this:\n[image]' });
  });

  it('is an option of runAgent', async () => {
    const inbox = createMessageInbox();
    const agent = defineAgent({ template: templateWith(() => void inbox.say('Use blue.')) });
    expect((await runAgent(agent, { adapter: painter(), inbox })).text).toBe('Use blue.');
  });

  it('is full with 100 messages', () => {
    const inbox = createMessageInbox();
    for (let each = 1; each <= 100; each += 1) inbox.say('x', { id: `m${each}` });
    const error = thrown(() => inbox.say('x'));
    expect(error).toSatisfy(RunRefusedError.isInstance);
    expect(error).toMatchObject({
      code: 'run-inbox-full',
      message:
        'The inbox has 100 messages that wait, and no more than 100 may. Say it again when the run has taken them.',
    });
    expect(inbox.say('x', { id: 'm1' })).toEqual({ id: 'm1', waiting: 100 });
  });

  it('refuses what says nothing, is too long, or is an option that there is not', () => {
    const inbox = createMessageInbox();
    const messageOf = (work: () => unknown) => Object(thrown(work)).message;
    expect(messageOf(() => inbox.say(''))).toBe('say(): input is empty: it says nothing.');
    expect(messageOf(() => inbox.say('x'.repeat(20_001)))).toContain('20001 characters');
    expect(messageOf(() => inbox.say('x', { from: 'ann' } as object))).toContain('no option "from"');
    expect(messageOf(() => inbox.say('x', { by: '' }))).toContain('by');
    expect(inbox.waiting).toBe(0);
  });

  it('is refused with a journal, and when it is another object', async () => {
    const prompt = templateWith(() => undefined).bind();
    const failure = async (options: object) =>
      painter()
        .evaluate(prompt, options)
        .then(
          () => undefined,
          (error: unknown) => error,
        );
    const withJournal = await failure({ inbox: createMessageInbox(), journal: memoryJournal() });
    expect(withJournal).toSatisfy(PromptValidationError.isInstance);
    expect(withJournal).toMatchObject({
      message: 'evaluate(): inbox is for a run without a journal. Leave it out, and say it by sayToRun().',
      details: { option: 'inbox' },
    });
    const other: MessageInbox = { waiting: 0, say: () => ({ id: 'm1', waiting: 0 }) };
    expect(await failure({ inbox: other })).toMatchObject({
      message: 'evaluate(): inbox must be made by createMessageInbox().',
    });
  });
});
