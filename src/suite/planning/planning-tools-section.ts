import { assertOptions, type OptionsOf, oneOf, someOf } from '../../core/error/index.ts';
import type { ToolPolicy } from '../../core/policy/index.ts';
import { type Section, section, type VisibilitySelector } from '../../core/prompt/index.ts';
import { CurrentPlan } from './current-plan.ts';
import { PlanningStrategy, planningInstructions, planningSummary } from './instructions.ts';
import {
  createPlanningTools,
  fixedPlanningTools,
  type PlanningToolName,
  planningToolNames,
} from './planning-tools.ts';

/** Options of {@link planningToolsSection}. */
export interface PlanningToolsSectionOptions {
  /** Default `Planning Tools`. */
  readonly title?: string;
  /** Default `planning`. */
  readonly key?: string;
  /** The advice the model gets on using its plan. Default {@link PlanningStrategy}`.react`. */
  readonly strategy?: PlanningStrategy;
  /** The tools to offer, all four by default. Leave out `planning_setup_plan` where you set up the plan yourself. */
  readonly tools?: readonly PlanningToolName[];
  /** Rules for these tools. Default: none. */
  readonly policies?: readonly ToolPolicy[];
  /** Whether overrides may replace the text of the section and of its tools. Default false. */
  readonly acceptsOverrides?: boolean;
  /** How much of the section the model sees. Default `'full'`. A summary is provided. */
  readonly visibility?: VisibilitySelector<Record<never, never>>;
}

const planningChecks: OptionsOf<PlanningToolsSectionOptions> = {
  title: 'string',
  key: 'string',
  strategy: oneOf(Object.values(PlanningStrategy)),
  tools: someOf(planningToolNames),
  policies: 'array',
  acceptsOverrides: 'boolean',
  visibility: 'any',
};

/**
 * A section that gives the model a plan to work by: instructions, the tools `planning_setup_plan`, `planning_add_step`,
 * `planning_update_step` and `planning_read_plan`, and the slice `CurrentPlan` that they change. It holds no state: the
 * plan belongs to the session and outlives the evaluation with it.
 *
 * A planning call is a transaction like any other; several in one turn come out as if made one after the other.
 *
 * ```ts
 * import { promptTemplate, section } from 'weakincentives';
 * import { planCompletion, planningToolsSection } from 'weakincentives/tools';
 *
 * const task = section({ title: 'Task', key: 'task', template: 'Move the tests to the new runner.' });
 * export const template = promptTemplate({ ns: 'docs', key: 'move', sections: [task, planningToolsSection()] });
 * // As `completion` of an agent: it may end when each step of its plan is done.
 * export const completion = planCompletion();
 * ```
 *
 * @throws {PromptValidationError} for an unknown strategy, an unknown or doubled tool name, or no tool at all.
 * @see docs/spec/planning.md §1
 */
export function planningToolsSection(
  options: PlanningToolsSectionOptions = {},
): Section<Record<never, never>> {
  assertOptions('planningToolsSection()', options, planningChecks);
  const {
    title = 'Planning Tools',
    key = 'planning',
    strategy = PlanningStrategy.react,
    policies = [],
    acceptsOverrides = false,
    visibility = 'full',
  } = options;
  const offered = options.tools ?? planningToolNames;
  const names = planningToolNames.filter((name) => offered.includes(name));
  const tools = acceptsOverrides ? createPlanningTools(true) : fixedPlanningTools();
  const instructions = planningInstructions({ tools: names, strategy });
  const summary = planningSummary({ tools: names });
  return section({
    title,
    key,
    template: () => instructions,
    summary: () => summary,
    visibility,
    acceptsOverrides,
    tools: names.map((name) => tools[name]),
    policies,
    slices: [CurrentPlan],
  });
}
