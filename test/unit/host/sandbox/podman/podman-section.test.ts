import { describe, expect, it } from 'vitest';
import {
  binding,
  type ConversationItem,
  MemoryFilesystem,
  promptTemplate,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type PodmanSectionOptions, podmanSection, SandboxBackend } from 'weakincentives/sandbox';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { ImagePython } from '../../../../../src/host/sandbox/podman/image-python.ts';
import { type FakeBackend, fakeBackend, outcome } from '../shell/fake-backend.ts';

const imageName = 'localhost/some:1';
const version = (text: string) => ({ text: `${text}\n`, totalBytes: text.length + 1, omittedBytes: 0 });

/** A backend with the given version of Python, or without one. */
const backendWith = (found: string | undefined): FakeBackend =>
  fakeBackend(() => (found === undefined ? outcome({ exitCode: 127 }) : outcome({ stdout: version(found) })));

function promptOf(backend: SandboxBackend, options: Partial<PodmanSectionOptions> = {}) {
  const files = { filesystem: new MemoryFilesystem({ files: { a: 'a' } }) };
  const template = promptTemplate({
    ns: 'tests',
    key: 'podman',
    sections: [podmanSection({ image: imageName, files, ...options })],
  });
  return template.bind({}, { resources: [binding(SandboxBackend, { instance: backend })] });
}

/** Evaluates, and returns what the first request has of Python. */
async function evaluate(
  session: Session,
  backend: SandboxBackend,
  options: Partial<PodmanSectionOptions> = {},
  prompt = promptOf(backend, options),
): Promise<{ readonly isOffered: boolean; readonly isExplained: boolean }> {
  let seen = { isOffered: false, isExplained: false };
  const adapter = scriptedAdapter((_conversation, { tools, instructions }) => {
    seen = {
      isOffered: tools.some(({ name }) => name === 'evaluate_python'),
      isExplained: instructions.includes('`evaluate_python` runs'),
    };
    return { text: 'done' };
  });
  await adapter.evaluate(prompt, { session });
  return seen;
}

const presentPython = { isOffered: true, isExplained: true };
const absentPython = { isOffered: false, isExplained: false };

describe('evaluate_python', () => {
  it.each([
    [undefined, '3.13.1', presentPython],
    [undefined, undefined, absentPython],
    [true, '3.13.1', presentPython],
    [false, '3.13.1', absentPython],
    [false, undefined, absentPython],
  ])('with python %s and an image with Python %s is %o', async (python, found, expected) => {
    await using session = new Session();
    const options = python === undefined ? {} : { python };
    expect(await evaluate(session, backendWith(found), options)).toStrictEqual(expected);
  });

  it('is required with python true: an evaluation without one fails before its first turn', async () => {
    await using session = new Session();
    const failure = evaluate(session, backendWith(undefined), { python: true });
    await expect(failure).rejects.toThrow('The backend "fake" has no python3 that runs.');
  });

  it('is checked once for each session, and not with python false', async () => {
    const [backend, unchecked] = [backendWith('3.13.1'), backendWith('3.13.1')];
    await using session = new Session();
    const prompt = promptOf(backend);
    await evaluate(session, backend, {}, prompt);
    expect(await evaluate(session, backend, {}, prompt)).toStrictEqual(presentPython);
    expect(backend.log).toStrictEqual(['prepare', 'start', 'dispose']);
    expect(session.slice(ImagePython).all()).toStrictEqual([{ image: imageName, version: '3.13.1' }]);
    await using other = new Session();
    await evaluate(other, unchecked, { python: false });
    expect(unchecked.log).toStrictEqual(['prepare']);
  });

  it('is absent in a session that was exported with one and is used without one', async () => {
    await using first = new Session();
    await evaluate(first, backendWith('3.13.1'));
    await using second = new Session();
    second.install(ImagePython);
    second.importState(first.exportState());
    expect(second.slice(ImagePython).all()).toHaveLength(1);
    expect(await evaluate(second, backendWith(undefined))).toStrictEqual(absentPython);
    expect(second.slice(ImagePython).all()).toStrictEqual([{ image: imageName }]);
  });

  it('is that of the image that a section names, of several in one session', async () => {
    await using session = new Session();
    expect(await evaluate(session, backendWith('3.13.1'))).toStrictEqual(presentPython);
    expect(await evaluate(session, backendWith(undefined), { image: 'localhost/bare:1' })).toStrictEqual(
      absentPython,
    );
    expect(session.slice(ImagePython).all()).toStrictEqual([
      { image: imageName, version: '3.13.1' },
      { image: 'localhost/bare:1' },
    ]);
  });

  it('is absent from a prompt that is rendered without an evaluation, unless it is required', async () => {
    for (const [python, expected] of [
      [undefined, false],
      [true, true],
    ] as const) {
      const options = python === undefined ? {} : { python };
      const { tools } = await promptOf(backendWith('3.13.1'), options).render();
      expect(tools.some(({ name }) => name === 'evaluate_python')).toBe(expected);
    }
  });

  it('does not keep an evaluation inside of a call that may only read from running', async () => {
    const inner = promptOf(backendWith('3.13.1'));
    const nest = tool({
      name: 'nest',
      description: 'Evaluates another prompt.',
      effects: 'read',
      execute: async (_params, { adapter }) => {
        await adapter.evaluate(inner);
        return ToolResult.ok(null, 'nested');
      },
    });
    const outer = promptTemplate({
      ns: 'tests',
      key: 'outer',
      sections: [section({ title: 'Nest', key: 'nest', tools: [nest] })],
    });
    const turns: ScriptedTurn[] = [{ toolCalls: [{ name: 'nest' }] }, { text: 'inner' }, { text: 'done' }];
    await using session = new Session();
    session.install(ImagePython);
    const { conversation } = await scriptedAdapter(turns).evaluate(outer.bind(), { session });
    const replies = conversation.flatMap((item: ConversationItem) =>
      item.type === 'tool-result' ? [item.text] : [],
    );
    expect(replies).toStrictEqual(['nested']);
    expect(session.slice(ImagePython).all()).toStrictEqual([]);
  });

  it('fails the evaluation when the check itself fails', async () => {
    const backend = fakeBackend(() => {
      throw new Error('the machine is broken');
    });
    await using session = new Session();
    await expect(evaluate(session, backend)).rejects.toThrow('the machine is broken');
    expect(backend.log).toStrictEqual(['prepare', 'start', 'dispose']);
  });
});
