export { type RunOnStepsOptions, type RunOnStepsStart, runOnSteps } from './run-on-steps.ts';
