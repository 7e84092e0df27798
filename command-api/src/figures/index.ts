export { countedByMinute } from './counted-by-minute.ts';
export { type IntakeCounts, intakeMinutes } from './intake-minutes.ts';
export { keepFigures } from './keep-figures.ts';
