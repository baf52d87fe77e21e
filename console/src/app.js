// Shows the overview as it is.
const response = await fetch('/overview');
document.getElementById('app').textContent = JSON.stringify(await response.json());
