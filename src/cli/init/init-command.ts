import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import {
  type InitRequest,
  type PackageManager,
  type ProjectTemplate,
  packageManagers,
  projectTemplates,
} from '../commands/init.ts';
import { type AskPerson, type CliEnvironment, exitCodes, writeLines } from '../process/environment.ts';
import { printable } from '../process/plain-text.ts';
import { shellWord } from '../process/shell-word.ts';
import { packageNameOf } from './package-name.ts';
import { packagesOf, projectFiles, type ReleaseManifest } from './project-files.ts';
import { templates } from './templates.ts';
import { checkFolder, writeProject } from './write-project.ts';

/** What is asked on a terminal. */
interface Question<Value extends string> {
  readonly title: string;
  /** Each with what it means; empty for a name that says it. */
  readonly choices: readonly { readonly value: Value; readonly summary: string }[];
  /** What an empty answer means. */
  readonly preset: Value;
}

/**
 * Makes a project. It installs nothing, and uses no network.
 *
 * @throws {UsageError} for a folder that is not empty, and for files that are there.
 */
export async function initCommand(request: InitRequest, environment: CliEnvironment): Promise<number> {
  const { ask, packageFolder, signal, stdout, variables } = environment;
  const shown = request.folder ?? '.';
  const folder = resolve(shown);
  const preset = startedBy(variables);
  // A folder that cannot be used is refused before anything is asked.
  checkFolder(folder, ['package.json'], request.isForced, printable(shown));
  const template = request.template ?? (await askFor(templateQuestion, ask, signal));
  const packageManager =
    request.packageManager ?? (await askFor(packageManagerQuestion(preset), ask, signal));

  const own = basename(folder);
  const name = packageNameOf(own, packagesOf(template));
  const readOwn = (path: string): string => readFileSync(new URL(path, packageFolder), 'utf8');
  const files = projectFiles({
    name,
    template,
    packageManager,
    // Its own package.json.
    manifest: JSON.parse(readOwn('package.json')) as ReleaseManifest,
    readTemplate: (path) => readOwn(`templates/${path}`),
  });
  checkFolder(folder, files.keys(), request.isForced, printable(shown));
  signal.throwIfAborted();
  writeProject(folder, files);

  const isHere = folder === resolve('.');
  const called = name === own ? '' : `, the package "${name}"`;
  writeLines(stdout, [
    `Made a project in ${isHere ? 'this folder' : printable(shown)}${called}: ${files.size} files of the template "${template}".`,
    '',
    ...(isHere ? [] : [`  cd ${shellWord(shown)}`]),
    `  ${packageManager} install`,
    ...(isHere ? [`  ${packageManager} test`] : []),
    `  ${packageManager} start`,
  ]);
  return exitCodes.done;
}

/** The package manager that has started this process, which it says in a variable. */
function startedBy({ npm_config_user_agent: agent = '' }: CliEnvironment['variables']): PackageManager {
  return packageManagers.find((name) => agent.startsWith(`${name}/`)) ?? 'npm';
}

const templateQuestion: Question<ProjectTemplate> = {
  title: 'Template',
  choices: projectTemplates.map((value) => ({ value, summary: templates[value].summary })),
  preset: 'tools',
};

const packageManagerQuestion = (preset: PackageManager): Question<PackageManager> => ({
  title: 'Package manager',
  choices: packageManagers.map((value) => ({ value, summary: '' })),
  preset,
});

/** Asks until the answer is a choice, by its number or its name. Without a terminal nothing is asked. */
async function askFor<Value extends string>(
  { choices, preset, title }: Question<Value>,
  ask: AskPerson | undefined,
  signal: AbortSignal,
): Promise<Value> {
  if (ask === undefined) return preset;
  const lines = choices.map(
    ({ value, summary }, index) =>
      `  ${index + 1} ${summary === '' ? value : `${value.padEnd(10)}${summary}`}\n`,
  );
  const prompt = `[${preset}] `;
  let question = `${title}:\n${lines.join('')}${prompt}`;
  for (;;) {
    const answer = (await ask(question, { signal })).trim().toLowerCase();
    if (answer === '') return preset;
    const chosen = choices[Number(answer) - 1] ?? choices.find(({ value }) => value === answer);
    if (chosen !== undefined) return chosen.value;
    question = `"${printable(answer)}" is not one of them: 1 to ${choices.length}, or a name. ${prompt}`;
  }
}
