/** A colour of the page, by the name that style.css gives it. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
