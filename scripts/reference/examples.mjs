// The list of the examples, and the page "It cannot happen here", from the first comments of the programs and the line that each prints.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstComment, listPrograms, needs } from '../list-programs.mjs';
import { comparedResults } from './compared.mjs';

/** The parts of the page, in order; each example names its own. */
const groups = ['Parallel calls', 'Files', 'Rules', 'Sub-agents', 'Crashes', 'Limits', 'Tools', 'Tests'];

/** Agents for `wink run`, by their folders, and how they are run. */
const applications = new Map([
  ['review', 'npm run review -- DIR'],
  [
    'fix-tests',
    'npm run build && node dist/entries/wink.js run examples/fix-tests/agent.ts examples/fix-tests/project',
  ],
]);

/** @typedef {{ name: string, path: string, title: string, thread: string, group: string, steps: string, asserted: string, holds: string, compared: string }} Issue */

/**
 * @param {string} root the project
 * @returns {Promise<{ list: string, page: string, problems: readonly string[] }>} `problems` names programs that lack a part
 */
export async function exampleDocuments(root) {
  /** @type {string[]} */
  const problems = [];
  const programs = [...listPrograms(root, 'examples')];
  const isIssue = (/** @type {[string, string]} */ [name]) => name.startsWith('issues/');
  const resultsOf = await comparedResults(root);
  const issues = programs.filter(isIssue).map(([name, path]) => {
    const { row, ...issue } = issueOf(root, name, path, problems);
    const results = row === undefined ? '' : resultsOf(row);
    if (results === undefined)
      problems.push(`${path}: "${row}" is not a row of bench/compare/harness/rows.ts.`);
    return { ...issue, compared: results ?? '' };
  });
  const rows = programs
    .filter((program) => !isIssue(program))
    .map(([name, path]) => {
      const title = firstSentence(join(root, path));
      if (!title.endsWith('.'))
        problems.push(`${path}: begin with a comment that says in one sentence what it shows.`);
      if (!needs.has(name)) assertsAndPrints(root, path, problems);
      const how = needs.has(name) ? ` Needs ${needs.get(name)}.` : '';
      return `| [\`${name}\`](${path.slice('examples/'.length)}) | ${cell(title)}${how} |`;
    });
  return { list: renderList(rows, issues, root), page: renderPage(issues), problems };
}

/** What a program shows, as its first comment says. @param {string} path */
function firstSentence(path) {
  return (
    firstComment(path)
      .join(' ')
      .split(/(?<=\.) /)[0] ?? ''
  );
}

/** @param {string} root @param {string} name @param {string} path @param {string[]} problems @returns {Omit<Issue, 'compared'> & { row: string | undefined }} `row` as `Compared:` names it */
function issueOf(root, name, path, problems) {
  const [title = '', ...lines] = firstComment(join(root, path));
  /** @param {string} word */
  const find = (word) => lines.find((line) => line.startsWith(`${word}: `))?.slice(word.length + 2);
  /** @param {string} word */
  const part = (word) => {
    const found = find(word);
    if (found === undefined) problems.push(`${path}: the first comment has no line "${word}: ".`);
    return found ?? '';
  };
  const [thread, group, steps, asserted] = [part('Thread'), part('Group'), part('Steps'), part('Asserted')];
  if (!groups.includes(group))
    problems.push(`${path}: "${group}" is not a group; there are ${groups.join(', ')}.`);
  const lineOf = /console\.log\(\s*'(holds: (?:[^'\\]|\\.)*)'/g;
  const printed = [...readFileSync(join(root, path), 'utf8').matchAll(lineOf)].map(([, line = '']) => line);
  if (printed.length !== 1) problems.push(`${path}: print one line "holds: …", as a literal.`);
  assertsAndPrints(root, path, problems);
  const [holds = ''] = printed;
  const row = find('Compared');
  return { name: name.slice('issues/'.length), path, title, thread, group, steps, asserted, holds, row };
}

/** @param {string} root @param {string} path @param {string[]} problems */
function assertsAndPrints(root, path, problems) {
  const source = readFileSync(join(root, path), 'utf8');
  if (!source.includes('node:assert/strict'))
    problems.push(`${path}: assert what it shows, with node:assert/strict.`);
  if (!/console\.(log|table)\(|\bshowAll\(/.test(source)) problems.push(`${path}: print what it shows.`);
}

const note = '<!-- Written by npm run reference -- --write, from the first comments of the programs -->';

/** @param {readonly string[]} rows @param {readonly Issue[]} issues @param {string} root */
function renderList(rows, issues, root) {
  const there = [...applications].filter(([name]) => existsSync(join(root, 'examples', name, 'agent.ts')));
  const agents = there.map(
    ([name, how]) =>
      `| [\`${name}/\`](${name}/agent.ts) | ${cell(firstSentence(join(root, 'examples', name, 'agent.ts')))} | \`${how}\` |`,
  );
  return `# Examples

${note}

Each program runs offline, on a script in place of a model, and asserts what it shows. In a clone:

\`\`\`sh
npm run example -- quick-start   # one of them
npm run examples                 # all, a line each
\`\`\`

| program | shows |
| --- | --- |
${rows.join('\n')}

## Applications

| agent | does | run it |
| --- | --- | --- |
${agents.join('\n')}

## It cannot happen here

Failures that users of other systems have reported, as programs that hold here:
[the page](../guides/it-cannot-happen-here.md).

| program | failure |
| --- | --- |
${issues.map(({ name, title }) => `| [\`issues/${name}\`](issues/${name}.ts) | ${cell(title)} |`).join('\n')}
`;
}

/** @param {readonly Issue[]} issues */
function renderPage(issues) {
  const parts = groups.flatMap((group) => {
    const inGroup = issues.filter((issue) => issue.group === group);
    return inGroup.length === 0 ? [] : [`## ${group}\n`, ...inGroup.map(renderIssue)];
  });
  return `# It cannot happen here

${note}

Failures that users of other systems have reported in public. Each is a short program: the steps of the thread in our
words, on a script in place of a model, with assertions. CI runs each of them twice: as it is, and on a copy of the
library in which the mechanism is switched off, where the assertions have to fail.

A thread is named to say where the steps come from. What it reports may have been fixed since. Where other systems can
run such steps offline, their results are below it. Their scripts are written as their documentation shows, and use a
way around that it names: [how the comparison is kept fair](../bench/compare/README.md#fairness).

In a clone, after \`npm ci\`:

\`\`\`sh
npm run example -- issues/pi-2327   # one of them
npm run examples                    # all, a line each
\`\`\`

${parts.join('\n')}`
    .trimEnd()
    .concat('\n');
}

/** @param {Issue} issue */
function renderIssue({ name, title, thread, steps, asserted, holds, compared }) {
  const [, owner = '', project = '', number = ''] =
    /github\.com\/([^/]+)\/([^/]+)\/(?:issues|pull)\/(\d+)$/.exec(thread) ?? [];
  return `### ${title.replace(/\.$/, '')}

[${owner}/${project}#${number}](${thread}). ${steps}

${asserted}

> ${holds}

[\`examples/issues/${name}.ts\`](../examples/issues/${name}.ts)
${compared === '' ? '' : `\n${compared}`}`;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|');
}
