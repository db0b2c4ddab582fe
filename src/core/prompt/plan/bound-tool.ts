import { linesOf, once, oneLine } from '../../internal/index.ts';
import { type PolicyPhases, type ToolPolicy, toPolicyPhases } from '../../policy/index.ts';
import { renderJson } from '../../schema/index.ts';
import { type AnyTool, type ModelTool, type ToolExample, toModelTool } from '../../tool/index.ts';
import { fenceAround, jsonLine } from '../template/line-breaks.ts';
import { describeTool, type ToolDescriptor } from './descriptors.ts';
import { describeParams, type ParamDescriptions } from './tool-param-descriptions.ts';

/** A tool with its place in the prompt and the policies that govern it. */
export interface BoundTool {
  readonly tool: AnyTool;
  /** Dotted path of the section that provides it; empty for a tool that opens or reads sections. */
  readonly sectionPath: string;
  /** Policies in the order they are asked: the section's, its ancestors' from the inside out, the prompt's. */
  readonly policies: readonly ToolPolicy[];
  /** Policies of other sections whose `dependencies` need the tool: they do not judge its calls, but record its successes. */
  readonly recordingPolicies: readonly ToolPolicy[];
  /** @internal */
  readonly '~planned': PlannedTool;
}

/** A policy of the prompt that the tool belongs to. */
interface OwnPolicy {
  readonly policy: ToolPolicy;
  readonly owner: undefined;
}

/** Derived from a tool and its place, once for all evaluations; text is made when it is first needed. */
export interface PlannedTool {
  readonly modelTool: ModelTool;
  readonly policyPhases: PolicyPhases<OwnPolicy>;
  readonly descriptor: ToolDescriptor;
  /** Its examples for a model that has no field for them; empty when there are none. */
  readonly examplesText: string;
  readonly paramDescriptions: ParamDescriptions;
}

/** Binds a tool. */
export function toBoundTool(parts: Omit<BoundTool, '~planned'>): BoundTool {
  const { tool, sectionPath, policies, recordingPolicies } = parts;
  const asOwn = (policy: ToolPolicy): OwnPolicy => ({ policy, owner: undefined });
  const descriptor = once(() => describeTool(tool, sectionPath));
  const examplesText = once(() => toolExamplesText(tool));
  const paramDescriptions = once(() => describeParams(tool));
  return Object.freeze({
    tool,
    sectionPath,
    policies,
    recordingPolicies,
    '~planned': Object.freeze({
      modelTool: toModelTool(tool),
      policyPhases: toPolicyPhases(policies.map(asOwn), recordingPolicies.map(asOwn)),
      get descriptor() {
        return descriptor();
      },
      get examplesText() {
        return examplesText();
      },
      get paramDescriptions() {
        return paramDescriptions();
      },
    }),
  });
}

/** The examples of a tool as text, for providers that have no field for them; empty when there are none. */
function toolExamplesText(tool: AnyTool): string {
  if (tool.examples.length === 0) return '';
  return [
    `- ${tool.name}: ${oneLine(tool.description)}`,
    `  - ${tool.name} examples:`,
    ...tool.examples.map((example) => exampleText(tool, example)),
  ].join('\n');
}

function exampleText(tool: AnyTool, example: ToolExample): string {
  const output = outputText(tool, example);
  return [
    `    - description: ${oneLine(example.description)}`,
    '      input:',
    fenced('json', jsonLine(example.input ?? {})),
    ...(output === '' ? [] : ['      output:', fenced('', output)]),
  ].join('\n');
}

function outputText(tool: AnyTool, { output }: ToolExample): string {
  if (output === undefined || output === null) return '';
  try {
    // The example was checked against the tool's output schema when the tool was made.
    return (tool.render?.(output) ?? renderJson(output)).trim();
  } catch {
    // As for a result: what a tool cannot write is written as JSON.
    return renderJson(output);
  }
}

/** The text in a fence that is longer than any in it, indented under its list item. */
function fenced(language: string, text: string): string {
  const fence = fenceAround(text);
  return [`${fence}${language}`, ...linesOf(text), fence]
    .map((line) => `        ${line}`.trimEnd())
    .join('\n');
}
