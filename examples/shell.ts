// Commands of a virtual shell, with the package just-bash: tests that fail take the edit of their command with them.
import assert from 'node:assert/strict';
import {
  defineAgent,
  lastCallCompletion,
  MemoryFilesystem,
  promptTemplate,
  runAgent,
  Session,
  section,
  ToolCallLog,
} from 'weakincentives';
import { SandboxError, shellSection, virtualSandbox } from 'weakincentives/sandbox';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

// A report of scores, best first, and its test, which leaves a line when it begins.
const workspace = new MemoryFilesystem({
  files: {
    'scores.csv': 'Ada,9\nGrace,10\nAlan,7\n',
    'report.sh': 'sort -t, -k2 scores.csv\n',
    'test.sh': `echo started >> tests.log
[ "$(sh report.sh | head -n 1)" = "Grace,10" ] || { echo "first is $(sh report.sh | head -n 1)"; exit 1; }
echo passed >> tests.log
`,
  },
});
const backend = virtualSandbox();
const shell = (command: string) => ({ toolCalls: [{ name: 'shell_execute', arguments: { command } }] });

const agent = defineAgent({
  template: promptTemplate({
    ns: 'examples',
    key: 'shell',
    sections: [
      section({ title: 'Task', key: 'task', template: 'Make `sh test.sh` pass; change report.sh only.' }),
      vfsToolsSection(),
      shellSection({ backend }),
    ],
  }),
  // The model may answer only when its last command has succeeded.
  completion: lastCallCompletion({ toolName: 'shell_execute' }),
  adapter: scriptedAdapter([
    // As texts, 9 is more than 10: the test fails, and the edit is gone with it.
    shell('sed -i "s/-k2/-k2r/" report.sh && sh test.sh'),
    { text: 'It should work now.' },
    shell('cat report.sh'),
    shell('sed -i "s/-k2/-k2nr/" report.sh && sh test.sh'),
    { text: 'The test passes.' },
  ]),
});

async function fix(): Promise<void> {
  await using session = new Session();
  const { text, changes } = await runAgent(agent, { workspace, session });
  const [wrong, look, right] = session.slice(ToolCallLog).all();
  assert.equal(wrong?.outcome, 'rolled-back');
  assert.match(wrong.modelText, /first is Ada,9/);
  // What the second command reads: neither the edit nor tests.log is left.
  assert.match(look?.modelText ?? '', /sort -t, -k2 scores\.csv/);
  assert.equal(right?.outcome, 'committed');
  assert.deepEqual(
    changes.map(({ path }) => path),
    ['report.sh', 'tests.log'],
  );
  assert.equal((await workspace.read('report.sh')).text, 'sort -t, -k2nr scores.csv\n');
  // One start of the tests, not two.
  assert.equal((await workspace.read('tests.log')).text, 'started\npassed\n');
  // Its first answer was not accepted.
  assert.equal(text, 'The test passes.');
  console.log('ok: the edit of the failing command is gone, that of the passing one is kept');
}

/** Whether the package is installed. */
async function isThere(): Promise<boolean> {
  try {
    await (await backend.prepare())[Symbol.asyncDispose]();
    return true;
  } catch (error) {
    if (SandboxError.isInstance(error) && error.code === 'sandbox-unavailable') return false;
    throw error;
  }
}

if (await isThere()) await fix();
else console.log('needs the package just-bash: npm install --no-save just-bash@3.4.2');
