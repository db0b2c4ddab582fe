import type { PlanStepStatus } from 'weakincentives/tools';
import { reportPath } from '../report-format.ts';
import type { AnsweredCall, ToolRequest } from './tool-request.ts';

/** The stages of a review that its plan has a step for. */
type PlannedStage = 'survey' | 'read' | 'record' | 'write' | 'publish';

/** What a review is at: one of its stages, or at its end. */
export type ReviewStage = PlannedStage | 'published' | 'given-up';

/** The steps of a review, in order. */
const stepTitles: Readonly<Record<PlannedStage, string>> = {
  survey: 'Walk the folder and search it',
  read: 'Read the files worth reading',
  record: 'Record the findings',
  write: `Write ${reportPath}`,
  publish: `Publish ${reportPath}`,
};

const stages: readonly string[] = Object.keys(stepTitles);

/**
 * The plan that a review keeps while it continues: set up with the first calls, and brought up to date in the turn in which
 * another stage begins. It says where the review is and decides nothing. What it knows of the plan is what the tools
 * confirmed; once one of them refuses, the review continues without a plan.
 */
export class ReviewPlan {
  #statuses: PlanStepStatus[] | undefined;
  #isAbandoned = false;

  /** Calls that make the plan say that the review is at this stage; none when it says so. */
  callsFor(stage: ReviewStage): readonly ToolRequest[] {
    if (this.#isAbandoned || stage === 'given-up') return [];
    const current = stage === 'published' ? stages.length : stages.indexOf(stage);
    const known = this.#statuses;
    const updates = stages.flatMap((_stage, index) => {
      const status = index < current ? 'done' : index === current ? 'in_progress' : 'pending';
      return (known?.[index] ?? 'pending') === status ? [] : [updateCall(index, status)];
    });
    return known === undefined ? [setUpCall(), ...updates] : updates;
  }

  observe(call: AnsweredCall): void {
    if (call.isError) this.#isAbandoned = true;
    else if (call.name === 'planning_setup_plan') this.#statuses = stages.map(() => 'pending');
    else this.#observeUpdate(call);
  }

  #observeUpdate({ arguments: { step_id: stepId, status } }: AnsweredCall): void {
    if (typeof stepId !== 'number' || this.#statuses === undefined) return;
    if (status === 'pending' || status === 'in_progress' || status === 'done') {
      this.#statuses[stepId - 1] = status;
    }
  }
}

/** True for calls that keep the plan, false for the work itself. */
export function isPlanningCall({ name }: Pick<ToolRequest, 'name'>): boolean {
  return name.startsWith('planning_');
}

function setUpCall(): ToolRequest {
  const plan = { objective: `Publish a review in ${reportPath}`, initial_steps: Object.values(stepTitles) };
  return { name: 'planning_setup_plan', arguments: plan };
}

function updateCall(index: number, status: PlanStepStatus): ToolRequest {
  return { name: 'planning_update_step', arguments: { step_id: index + 1, status } };
}
