export { CurrentPlan } from './current-plan.ts';
export { formatPlan, formatPlanStep } from './format-plan.ts';
export { PlanningStrategy } from './instructions.ts';
export type { Plan, PlanStatus, PlanStep, PlanStepStatus } from './plan.ts';
export { type PlanCompletionOptions, planCompletion } from './plan-completion.ts';
export {
  AddStep,
  type AddStepPayload,
  type ReadPlan,
  SetupPlan,
  type SetupPlanPayload,
  UpdateStep,
  type UpdateStepPayload,
} from './plan-events.ts';
export type { PlanningToolName } from './planning-tools.ts';
export { type PlanningToolsSectionOptions, planningToolsSection } from './planning-tools-section.ts';
