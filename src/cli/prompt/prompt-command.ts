import { createTwoFilesPatch } from 'diff';
import { describeError, OverridesError, PromptRenderError } from '../../core/error/index.ts';
import { counted, present } from '../../core/internal/index.ts';
import {
  type DroppedOverride,
  defaultOverridesTag,
  type Prompt,
  type PromptOverrides,
  type RenderedPrompt,
  type ToolParamDescription,
} from '../../core/prompt/index.ts';
import { Session } from '../../core/session/index.ts';
import type { AnyTool, HostedTool } from '../../core/tool/index.ts';
import type { LocalOverridesStore } from '../../host/index.ts';
import { ProjectInstructions } from '../../suite/skills/index.ts';
import { readInstructionsOf, readTexts } from '../agent/added-texts.ts';
import { bindParams } from '../agent/bind-params.ts';
import { type LoadedAgent, loadAgent } from '../agent/load-agent.ts';
import { droppedLine, noOverridesError, openOverrides, overridesFile } from '../agent/overrides.ts';
import type { PromptRequest } from '../commands/prompt.ts';
import { type CliEnvironment, exitCodes } from '../process/environment.ts';
import { orUsageError, reasonOf, type UsageError } from '../process/errors.ts';
import { printable, printableLines } from '../process/plain-text.ts';
import { createTextStyle } from '../process/text-style.ts';
import { mergeSeed } from './merge-seed.ts';

/** Inputs of an action. */
interface PromptWork {
  readonly request: PromptRequest;
  readonly environment: CliEnvironment;
  readonly loaded: LoadedAgent;
  readonly prompt: Prompt;
  readonly store: LocalOverridesStore;
}

/**
 * Shows an agent's prompt, or works on the overrides of its texts.
 * @returns the exit code of the process: 1 when `check` finds overrides that are not applied, or an unusable file.
 * @throws {UsageError} for an agent, params or directory that cannot be used.
 */
export async function promptCommand(
  request: PromptRequest,
  environment: CliEnvironment,
  load: typeof loadAgent = loadAgent,
): Promise<number> {
  const own = await load(request.agent, environment.cacheFolder);
  const texts = await readTexts(request.texts, undefined);
  const loaded = texts === undefined ? own : { ...own, agent: texts.addTo(own.agent) };
  const work: PromptWork = {
    request,
    environment,
    loaded,
    // Texts and their hashes do not depend on params.
    prompt: loaded.agent.template.bind(),
    store: openOverrides(request.root, loaded),
  };
  try {
    return await { show, seed, diff, check }[request.action](work);
  } catch (error) {
    if (!OverridesError.isInstance(error) && !PromptRenderError.isInstance(error)) throw error;
    environment.stderr.write(`wink: ${printableLines(describeError(error))}\n`);
    return exitCodes.failed;
  }
}

async function show(work: PromptWork): Promise<number> {
  const { request, environment, prompt, store } = work;
  const tag = request.tag ?? defaultOverridesTag;
  const overrides = await store.load(prompt, tag);
  if (overrides === undefined && request.tag !== undefined) throw noOverrides(work, tag);
  environment.stdout.write(printableLines(await documentOf(work, overrides)));
  if (overrides !== undefined) printDropped(work, prompt.checkOverrides(overrides), tag);
  return exitCodes.done;
}

async function seed(work: PromptWork): Promise<number> {
  const { request, environment, prompt, store } = work;
  const tag = request.tag ?? defaultOverridesTag;
  const fresh = prompt.seedOverrides(tag);
  let result = '';
  const overrides = await store.update(prompt, tag, (current) => {
    if (current === undefined) {
      result = `created, with all texts of the prompt`;
      return fresh;
    }
    const merged = mergeSeed(current, fresh, request.isRefreshed);
    if (merged.added === 0 && merged.replaced === 0) {
      result = 'has all texts of the prompt already';
      return undefined;
    }
    result = `${counted(merged.added, 'text')} added, ${merged.replaced} replaced`;
    return merged.overrides;
  });
  environment.stdout.write(`${fileOf(work, tag)}: ${result}\n`);
  if (overrides !== undefined) printDropped(work, prompt.checkOverrides(overrides), tag);
  return exitCodes.done;
}

async function diff(work: PromptWork): Promise<number> {
  const { request, environment, prompt, store } = work;
  const tag = request.tag ?? defaultOverridesTag;
  const overrides = await store.load(prompt, tag);
  if (overrides === undefined) throw noOverrides(work, tag);
  const [before, after] = [await documentOf(work, undefined), await documentOf(work, overrides)];
  if (before !== after) {
    const style = createTextStyle(environment.stdout, environment.variables);
    const patch = createTwoFilesPatch('code', fileOf(work, tag), before, after, undefined, undefined, {
      context: 3,
    });
    const lines = printableLines(patch).replace(/^=+\n/, '').trimEnd().split('\n');
    const tones = { '+': 'added', '-': 'removed', '@': 'place' } as const;
    for (const line of lines) {
      const tone = Object.entries(tones).find(([sign]) => line.startsWith(sign))?.[1];
      environment.stdout.write(`${tone === undefined ? line : style(tone, line)}\n`);
    }
  }
  printDropped(work, prompt.checkOverrides(overrides), tag);
  return exitCodes.done;
}

async function check(work: PromptWork): Promise<number> {
  const { request, environment, prompt, store } = work;
  const tags = request.tag === undefined ? await store.tags(prompt) : [request.tag];
  let isFitting = true;
  for (const tag of tags) {
    try {
      const overrides = await store.load(prompt, tag);
      if (overrides === undefined) throw noOverrides(work, tag);
      const dropped = prompt.checkOverrides(overrides);
      printDropped(work, dropped, tag);
      if (dropped.length > 0) isFitting = false;
      else environment.stdout.write(`${fileOf(work, tag)}: fits\n`);
    } catch (error) {
      if (!OverridesError.isInstance(error)) throw error;
      environment.stderr.write(`wink: ${printableLines(describeError(error))}\n`);
      isFitting = false;
    }
  }
  if (tags.length === 0) environment.stdout.write(`${printable(prompt.name)} has no overrides\n`);
  return isFitting ? exitCodes.done : exitCodes.failed;
}

/** The prompt as the model receives it. @throws {UsageError} for missing or invalid params. @throws {PromptRenderError} */
async function documentOf(
  { request, loaded }: PromptWork,
  overrides: PromptOverrides | undefined,
): Promise<string> {
  const { agent } = loaded;
  const { params } = await bindParams(agent, request.params, '');
  const prompt = agent.template.bind(params);
  await using session =
    request.texts?.hasInstructions === true ? await sessionWith(prompt, request.workspace) : undefined;
  return promptDocument(await prompt.render(present({ overrides, session })));
}

/** A session in which the prompt finds what the folder says to those who work on it. */
async function sessionWith(prompt: Prompt, workspace = '.'): Promise<Session> {
  const instructions = await orUsageError(
    () => readInstructionsOf(workspace),
    (error) => `the instructions of "${printable(workspace)}" cannot be read: ${reasonOf(error)}.`,
  );
  const session = new Session();
  for (const slice of prompt.slices()) session.install(slice);
  session.slice(ProjectInstructions).seed([instructions]);
  return session;
}

function printDropped({ environment }: PromptWork, dropped: readonly DroppedOverride[], tag: string): void {
  for (const each of dropped) environment.stderr.write(`wink: ${droppedLine(each, tag)}\n`);
}

function noOverrides({ request, prompt, store }: PromptWork, tag: string): UsageError {
  return noOverridesError(overridesFile(store, prompt, tag), request.agent, request.tag);
}

function fileOf({ prompt, store }: PromptWork, tag: string): string {
  return overridesFile(store, prompt, tag);
}

/** Everything that a prompt sends to a model, as a document for people: the instructions, then the tools. */
export function promptDocument(rendered: RenderedPrompt): string {
  const { text, tools, hostedTools, toolParamDescriptions, output } = rendered;
  const parts = [text];
  if (tools.length + hostedTools.length > 0) parts.push('# Tools');
  for (const tool of tools) parts.push(toolText(tool, toolParamDescriptions[tool.name] ?? {}));
  for (const tool of hostedTools) parts.push(hostedToolText(tool));
  if (output !== undefined)
    parts.push('# Answer', JSON.stringify(output.compiled.inputJsonSchema, undefined, 2));
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function toolText(tool: AnyTool, params: Readonly<Record<string, ToolParamDescription>>): string {
  return [`## ${tool.name}`, '', tool.description, ...paramLines(params)].join('\n');
}

/** Without the config: how much of it the model receives depends on the provider, and it may hold secrets. */
function hostedToolText({ name, kind, description }: HostedTool): string {
  return `## ${name}\n\n${description}\n\nRun by the provider, as \`${kind}\`.`;
}

function paramLines(params: Readonly<Record<string, ToolParamDescription>>): readonly string[] {
  const lines = Object.entries(params).map(([name, { type, description, default: value }]) => {
    const fallback = value === undefined ? '' : `, default ${JSON.stringify(value)}`;
    return `- ${name} (${type}${fallback})${description === undefined ? '' : `: ${description}`}`;
  });
  return lines.length === 0 ? [] : ['', ...lines];
}
