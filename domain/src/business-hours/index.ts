export { isOpen, isOpenDuring, toWeeklyHours, type WeeklyHours } from './week.ts';
