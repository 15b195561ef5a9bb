document.title = 'Toy, running'
