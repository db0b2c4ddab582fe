import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { binding, MemoryFilesystem, promptTemplate, Session } from 'weakincentives';
import {
  bubblewrapSandbox,
  type PodmanSectionOptions,
  podmanSection,
  SandboxBackend,
} from 'weakincentives/sandbox';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { busyboxImage } from './support/busybox-image.ts';
import { unavailableReason } from './support/unavailable-reason.ts';

/** Takes the place of an interpreter: it is called as one, and runs scripts for sh. */
const python = 'case $2 in "import sys"*) echo 3.0.0;; *) [ "$1" = -c ] && exec sh -c "$2";; esac';
const image = await busyboxImage({ python3: python });
afterAll(() => image[Symbol.dispose]());
/** Where the Python of this machine is installed; '' where there is none. */
const prefix = spawnSync('python3', ['-c', 'import sys; print(sys.base_prefix)'], { encoding: 'utf8' });
const installation = prefix.status === 0 ? prefix.stdout.trim() : '';
const machine = bubblewrapSandbox(
  installation === '' || installation.startsWith('/usr') ? {} : { readOnlyPaths: [installation] },
);
const noPython = installation === '' ? 'there is no python3' : await unavailableReason(machine);

const sectionOf = (options: Partial<PodmanSectionOptions> = {}) => {
  const { image: name, ...sandbox } = image.options;
  return podmanSection({ image: name, sandbox, ...options });
};

const call = (name: string, args: Record<string, unknown>): ScriptedTurn => ({
  toolCalls: [{ name, arguments: args }],
});

async function play(
  turns: readonly ScriptedTurn[],
  options: Partial<PodmanSectionOptions> = {},
  backend?: SandboxBackend,
) {
  const filesystem = new MemoryFilesystem({ files: { 'a.txt': 'one\n' } });
  await using session = new Session();
  const adapter = scriptedAdapter([...turns, { text: 'done' }]);
  const template = promptTemplate({
    ns: 'tests',
    key: 'podman',
    sections: [sectionOf({ files: { filesystem }, ...options })],
  });
  const { conversation } = await adapter.evaluate(
    template.bind(
      {},
      { resources: backend === undefined ? [] : [binding(SandboxBackend, { instance: backend })] },
    ),
    { session },
  );
  const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  return { filesystem, results };
}

describe('podmanSection', () => {
  it('has the tools, in parts of their own', () => {
    const { children = [] } = podmanSection({ image: 'some/image' });
    const names = children.map(({ tools = [] }) => tools.map(({ name }) => name));
    expect(names.slice(1)).toStrictEqual([['shell_execute'], ['evaluate_python']]);
    expect(names[0]).toContain('read_file');
    expect(podmanSection({ image: 'some/image', python: false }).children).toHaveLength(2);
  });

  it('refuses options by name', () => {
    expect(() => podmanSection({ image: 'some/image', sandbox: { limits: { maxCpuMs: 5 } } })).toThrow(
      'maxCpuMs',
    );
    expect(() => podmanSection({ image: 'no image' })).toThrow('image must be the name of an image');
  });

  describe.skipIf(image.skip !== undefined)(`with podman${image.skip ?? ''}`, () => {
    it('shares one workspace among all tools', async () => {
      const { filesystem, results } = await play([
        call('write_file', { file_path: 'b.txt', content: 'two\n' }),
        call('shell_execute', { command: 'cat a.txt b.txt >c.txt' }),
        call('evaluate_python', { code: 'cat c.txt; echo three >>c.txt' }),
        call('read_file', { file_path: 'c.txt' }),
      ]);
      expect(results[1]).toContain('Created: c.txt');
      expect(results[2]).toContain('stdout:\none\ntwo');
      expect(await filesystem.read('c.txt')).toMatchObject({ text: 'one\ntwo\nthree\n' });
    });

    it('rolls back whatever fails', async () => {
      const { filesystem, results } = await play([
        call('shell_execute', { command: 'echo x >>a.txt; exit 3' }),
        call('evaluate_python', { code: 'rm a.txt; echo why >&2; exit 1' }),
        call('evaluate_python', { code: 'echo x >b.txt; while :; do :; done', timeout_seconds: 1 }),
      ]);
      expect(results[0]).toContain('exit code 3');
      expect(results[1]).toMatch(/The program ended with exit code 1\..*stderr:\nwhy/s);
      expect(results[2]).toContain('timed out after 1 s');
      expect(await filesystem.read('a.txt')).toMatchObject({ text: 'one\n' });
      expect(await filesystem.stat('b.txt')).toBeUndefined();
    });

    it('passes code on as it is', async () => {
      const code = 'x=\'`$HOME"\\\'; printf %s "$x"';
      const { results } = await play([call('evaluate_python', { code })]);
      expect(results[0]).toContain('stdout:\n`$HOME"\\');
    });
  });

  describe.skipIf(noPython !== undefined)(
    `with bubblewrap in its place${noPython === undefined ? '' : ` (skipped: ${noPython})`}`,
    () => {
      it('runs programs by a real Python', async () => {
        const code = [
          'import helper, pathlib',
          'text = pathlib.Path("a.txt").read_text()',
          'pathlib.Path("b.txt").write_text(helper.twice(text))',
          'print("größer", sum(range(101)))',
        ].join('\n');
        const { filesystem, results } = await play(
          [
            call('write_file', {
              file_path: 'helper.py',
              content: 'def twice(text):\n    return text * 2\n',
            }),
            call('evaluate_python', { code }),
            call('evaluate_python', { code: 'open("a.txt", "w").write("x")\nraise ValueError("no")' }),
          ],
          {},
          machine,
        );
        expect(results[1]).toMatch(/exit code 0.*Created: b\.txt.*stdout:\ngrößer 5050/s);
        expect(results[2]).toMatch(/exit code 1.*ValueError: no/s);
        expect(await filesystem.read('b.txt')).toMatchObject({ text: 'one\none\n' });
        expect(await filesystem.read('a.txt')).toMatchObject({ text: 'one\n' });
        // Compiled modules are not part of the workspace.
        expect(await filesystem.stat('__pycache__')).toBeUndefined();
      });
    },
  );

  describe.skipIf(image.skip !== undefined)('without Python', () => {
    const evaluate = async (options: Partial<PodmanSectionOptions>): Promise<readonly string[]> => {
      const bare = sectionOf({ sandbox: { ...image.options, env: { PATH: '/nowhere' } }, ...options });
      const template = promptTemplate({ ns: 'tests', key: 'bare', sections: [bare] });
      await using session = new Session();
      let names: readonly string[] = [];
      const adapter = scriptedAdapter((_conversation, { tools }) => {
        names = tools.map(({ name }) => name);
        return { text: 'done' };
      });
      await adapter.evaluate(template.bind(), { session });
      return names;
    };

    it('offers the shell alone', async () => {
      const names = await evaluate({});
      expect(names).toContain('shell_execute');
      expect(names).not.toContain('evaluate_python');
    });

    it('ends the evaluation when it starts where Python is required, and names the option', async () => {
      await expect(evaluate({ python: true })).rejects.toThrow(
        'leave out the option python of podmanSection',
      );
    });
  });
});
