import { describe, expect, it } from 'vitest';
import {
  type ConversationItem,
  type Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  Session,
  type ToolPolicy,
} from 'weakincentives';
import { type ShellSectionOptions, shellSection } from 'weakincentives/sandbox';
import { type ScriptedToolCall, scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { type SandboxSubject, suiteName } from './sandbox-subject.ts';

const files = { 'a.txt': 'one\n', 'src/main.txt': 'main\n' };

const resultsOf = (conversation: readonly ConversationItem[]): readonly string[] =>
  conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));

/** What `shellSection` promises on every backend: a command is a part of its call. */
export function shellContract(subject: SandboxSubject): void {
  const { skip, isInterpreter } = subject;

  const promptOf = (
    options: Partial<ShellSectionOptions> = {},
    filesystem: Filesystem = new MemoryFilesystem(),
  ): Prompt =>
    promptTemplate({
      ns: 'test',
      key: 'shell',
      sections: [
        vfsToolsSection({ filesystem, policies: [] }),
        shellSection({ backend: subject.open(), ...options }),
      ],
    }).bind();

  /** Runs each list of calls as one turn. */
  const run = async (
    turns: readonly (readonly ScriptedToolCall[])[],
    options?: Partial<ShellSectionOptions>,
  ): Promise<{ readonly replies: readonly string[]; readonly content: Record<string, string> }> => {
    await using session = new Session();
    const filesystem = new MemoryFilesystem({ files });
    const prompt = promptOf(options, filesystem);
    const adapter = scriptedAdapter([...turns.map((toolCalls) => ({ toolCalls })), { text: 'done' }]);
    const { conversation } = await adapter.evaluate(prompt, { session });
    const content: Record<string, string> = {};
    for (const path of (await filesystem.glob('**')).paths) {
      content[path] = Buffer.from(await filesystem.readBytes(path)).toString('utf8');
    }
    return { replies: resultsOf(conversation), content };
  };

  const shell = (command: string, more: Record<string, unknown> = {}): ScriptedToolCall => ({
    name: 'shell_execute',
    arguments: { command, ...more },
  });

  describe.skipIf(skip !== undefined)(suiteName('shell_execute', subject), () => {
    it('keeps what a successful command has changed, and says what that is', async () => {
      const { replies, content } = await run([
        [shell('echo two >>a.txt; echo new >b.txt; rm -r src; echo said')],
      ]);
      expect(content).toStrictEqual({ 'a.txt': 'one\ntwo\n', 'b.txt': 'new\n' });
      expect(replies[0]).toContain('ended with exit code 0');
      expect(replies[0]).toContain('Created: b.txt.');
      expect(replies[0]).toContain('Modified: a.txt.');
      expect(replies[0]).toMatch(/Removed: src[,.]/);
      expect(replies[0]).toContain('stdout:\nsaid');
    });

    it.each([
      [
        'that fails',
        shell('rm -rf *; echo half >b.txt; echo why >&2; exit 3'),
        'ended with exit code 3',
        'stderr:\nwhy',
      ],
      [
        'that is not found',
        shell('rm a.txt; no-such-program'),
        'ended with exit code 127',
        'no-such-program',
      ],
      [
        'that times out',
        shell('rm a.txt; while :; do :; done', { timeout_seconds: 1 }),
        'timed out after 1 s',
        'nothing that it changed was kept',
      ],
      [
        'in a missing directory',
        shell('rm a.txt', { cwd: 'nowhere' }),
        '"nowhere" does not exist',
        'as it was before the command',
      ],
    ])('leaves the workspace as it was after a command %s', async (_what, call, reason, more) => {
      const { replies, content } = await run([[call]]);
      expect(content).toStrictEqual(files);
      expect(replies[0]).toContain(reason);
      expect(replies[0]).toContain(more);
    });

    it('keeps what a failing command has left, when asked to', async () => {
      const { replies, content } = await run([[shell('echo left >a.txt; exit 3')]], { rollbackOn: 'never' });
      expect(content['a.txt']).toBe('left\n');
      expect(replies[0]).toContain('ended with exit code 3');
      expect(replies[0]).toContain('Modified: a.txt.');
    });

    it('drops what a command that timed out has left, also when asked to keep the rest', async () => {
      const { content } = await run([[shell('rm a.txt; while :; do :; done', { timeout_seconds: 1 })]], {
        rollbackOn: 'never',
      });
      expect(content).toStrictEqual(files);
    });

    it('is judged by policies for what it really changed', async () => {
      const guard: ToolPolicy = {
        name: 'main-is-frozen',
        checkChanges: (_call, changes) =>
          changes.some(({ path }) => path === 'src/main.txt')
            ? PolicyDecision.deny('src/main.txt is frozen.')
            : PolicyDecision.allow(),
      };
      const { replies, content } = await run(
        [[shell('echo x >src/main.txt; echo x >b.txt')], [shell('echo y >b.txt')]],
        { policies: [guard] },
      );
      expect(replies[0]).toContain('src/main.txt is frozen.');
      expect(content).toStrictEqual({ ...files, 'b.txt': 'y\n' });
    });

    it('sees what earlier calls of the turn have written, and later ones see what it wrote', async () => {
      const { replies, content } = await run([
        [
          { name: 'write_file', arguments: { file_path: 'in.txt', content: 'from a tool\n' } },
          shell('cat in.txt; echo from the shell >out.txt'),
          { name: 'read_file', arguments: { file_path: 'out.txt' } },
        ],
      ]);
      expect(replies[1]).toContain('from a tool');
      expect(replies[2]).toContain('from the shell');
      expect(content['out.txt']).toBe('from the shell\n');
    });

    it('lets commands of one turn behave as if they ran one after the other', async () => {
      const { content } = await run([
        [1, 2, 3, 4].map((n) => shell(`n=$(wc -l <log 2>/dev/null || echo 0); echo ${n} $((n + 0)) >>log`)),
      ]);
      expect(
        content['log']
          ?.split('\n')
          .filter((line) => line !== '')
          .map((line) => line.split(' ')[0]),
      ).toStrictEqual(['1', '2', '3', '4']);
    });

    it('gets input, variables and a directory', async () => {
      const { replies } = await run([
        [shell('pwd; echo "$GREETING"; cat', { cwd: 'src', env: { GREETING: 'hello' }, stdin: 'input' })],
      ]);
      expect(replies[0]).toContain('/workspace/src\nhello\ninput');
    });

    it('shows the beginning and the end of a long output', async () => {
      const { replies } = await run([[shell('seq 1 100000')]], { limits: { maxOutputBytes: 100 } });
      expect(replies[0]).toContain('bytes omitted]');
      expect(replies[0]).toContain('\n100000');
    });

    it('names what it could not keep', async () => {
      const { replies, content } = await run([[shell('ln -s a.txt link; echo x >b.txt; true')]]);
      expect(content).toStrictEqual({ ...files, 'b.txt': 'x\n' });
      if (!isInterpreter)
        expect(replies[0]).toContain('Not kept, because only regular files and directories are: link.');
    });

    it.skipIf(isInterpreter)('says when processes outlived the command', async () => {
      const { replies } = await run([[shell('sleep 1000 & echo done')]]);
      expect(replies[0]).toContain('were killed: nothing runs in the background.'.replace('were', 'was'));
    });

    it('tells the model what it can use', async () => {
      const { text } = await promptOf().render();
      expect(text).toContain(subject.open().capabilities.description);
    });
  });
}
