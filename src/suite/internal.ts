export { formatPlanStep } from './planning/index.ts';
